// Tests that visitors stored before visitors had ids get an id and keep it.
import { expect } from 'chai'
import { assignVisitorIds } from '../../workers/pollers/upkeep.ts'
import { createEvent, createUser, hoursFromNow } from '../support/factories.ts'
import { useClient, useWorld } from '../support/world.ts'

describe('the ids of visitors', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'read')

  it('come from the sequence of user ids if a visitor has none', async () => {
    const { database } = world
    const event_id = await createEvent(database, { from: hoursFromNow(1), to: hoursFromNow(2) })
    const user_id = await createUser(database)
    await database('event_attendees').insert({ event_id, user_id })
    const emails = Array.from({ length: 1_500 }, (_, number) => `visitor${number}@example.com`)
    await database('event_attendees').insert(emails.map((email) => ({ event_id, email })))
    const idsOf = async (): Promise<number[]> =>
      (await client.get(`events/${event_id}`)).json.data.attendees.map(({ id }: { id: number }) => id)

    expect(await assignVisitorIds(database)).to.equal(1_500)
    expect(await assignVisitorIds(database)).to.equal(0)
    const ids = await idsOf()
    expect(new Set(ids).size).to.equal(1_501)
    expect(ids[0]).to.equal(user_id)
    const users = new Set(await database('users').pluck('id'))
    const next = await createUser(database)
    expect(ids.slice(1).filter((id) => users.has(id) || id >= next)).to.deep.equal([])
  })
})
