// Tests events that administrators cancel.

import { expect } from 'chai'
import { readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import { createDesk, createEvent, hoursFromNow } from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

describe('an event that an administrator cancels', () => {
  const world = useWorld()
  const client = useClient(world)
  const admin = useAdmin(world)
  let room: Awaited<ReturnType<typeof createDesk>>
  let id: number

  const time = () => ({ from_time: hoursFromNow(1), to_time: hoursFromNow(2) })
  const body = () => ({
    name: 'Talk',
    organizer_user_id: room.user_id,
    ...time(),
    attendees: [
      { type: 'bookable', id: room.bookable_id },
      { type: 'visitor', email: 'ada@example.com' },
    ],
  })
  const claims = () => world.database('bookings').where({ event_id: id })

  beforeEach(async () => {
    room = await createDesk(world.database, { type: 2 })
    id = (await client.post('events', body())).json.data.id
  })

  it('frees its rooms and disappears from listings, but can still be read by its id', async () => {
    expect((await client.post('bookings', { ...room, ...time() })).status).to.equal(409)
    const { status, json } = await admin.ask('events.cancel', { id }, { requestId: 'cancel' })
    expect([status, json]).to.deep.equal([200, { data: { id, freed: 1 } }])
    const read = await client.get(`events/${id}`)
    expect(read.json.data).to.deep.include({ id, name: 'Talk', status: 2, bookables: [] })
    expect(read.json.data.attendees).to.have.length(2)
    const listed = await client.get(`events?from=${hoursFromNow(0)}&to=${hoursFromNow(3)}`)
    expect(listed.json.data.map((each: { id: number }) => each.id)).to.not.include(id)
    expect((await client.post('bookings', { ...room, ...time() })).status).to.equal(200)
    const [entry, ...others] = await readAudit(world, 'cancel')
    expect(others).to.deep.equal([])
    expect(entry).to.include({ action: 'events.cancel', resource: 'events', resource_id: id })
    expect(entry.before).to.deep.include({ status: 1, bookables: [room.bookable_id] })
    expect(entry.after).to.deep.include({ status: 2, bookables: null })
  })

  it('is cancelled only once, and stays unchanged if the cancellation is repeated', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => admin.ask('events.cancel', { id }, { requestId: 'often' })),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    expect(await readAudit(world, 'often')).to.have.length(1)
  })

  it('can be confirmed again with its rooms', async () => {
    await admin.ask('events.cancel', { id })
    const { status } = await admin.ask('events.replace', { ...body(), id, reinstates: true })
    expect([status, (await client.get(`events/${id}`)).json.data.status]).to.deep.equal([200, 1])
    expect(await claims()).to.have.length(1)
  })

  it('is either cancelled without rooms or confirmed with them, despite simultaneous requests', async () => {
    for (let round = 0; round < 10; round++) {
      const cancel = () => admin.ask('events.cancel', { id }).then(({ status }) => status)
      const replace = () => client.put(`events/${id}`, body()).then(({ status }) => status)
      const works = round % 2 ? [cancel(), replace()] : [replace(), cancel()]
      expect((await Promise.all(works)).sort()).to.deep.be.oneOf([
        [200, 200],
        [200, 409],
      ])
      const { status } = await world.database('events').where({ id }).first()
      expect(await claims()).to.have.length(status === 1 ? 1 : 0)
    }
  })

  it('must exist and not be over', async () => {
    const span = { from: '2026-03-02T09:00:00Z', to: '2026-03-02T10:00:00Z' }
    const over = await createEvent(world.database, span)
    const { status, json } = await admin.ask('events.cancel', { id: over })
    expect([status, json.code]).to.deep.equal([409, 'event_ended'])
    expect(json.detail).to.include('ended at 10:00 UTC on 2026-03-02')
    expect((await world.database('events').where({ id: over }).first()).status).to.equal(1)
    expect((await admin.ask('events.cancel', { id: 999_999 })).status).to.equal(404)
  })
})
