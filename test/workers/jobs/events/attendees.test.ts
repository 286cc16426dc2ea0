// Tests who attends an event after a change if another write erases one of the people at the same moment.
import { expect } from 'chai'
import { lockKeySql, waitForLockSql } from '../../../../shared/database/locks.ts'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { createDesk, createUser, hoursFromNow } from '../../../support/factories.ts'
import { sendDuring } from '../../../support/faults/lock-waits.ts'
import { useClient, useWorld } from '../../../support/world.ts'

describe('the attendees of an event', () => {
  const world = useWorld({ environment: { WRITE_WAIT_MS: '60000' } })
  const client = useClient(world)
  const admin = useAdmin(world)
  let room: Awaited<ReturnType<typeof createDesk>>
  let [guest, id] = [0, 0]

  beforeEach(async () => {
    room = await createDesk(world.database, { type: 2 })
    guest = await createUser(world.database)
    const created = await client.post('events/series', {
      name: 'Talk',
      organizer_user_id: room.user_id,
      from_time: hoursFromNow(24),
      to_time: hoursFromNow(25),
      attendees: [
        { type: 'bookable', id: room.bookable_id },
        { type: 'user', id: guest },
      ],
      repeat: { every: 'day', count: 2 },
    })
    expect(created.status, created.text).to.equal(200)
    id = created.json.data.created[0].id
  })

  const erase = async (user: number) => {
    const { status, json } = await admin.ask('users.erase', { id: user })
    expect(status, JSON.stringify(json)).to.equal(200)
  }
  /** Sends a request that waits for the lock of the room until this person has been erased. */
  const sendWhileErasing = <Answer>(user: number, send: () => Promise<Answer>) =>
    sendDuring(world, {
      lock: (trx) => trx.raw(`SELECT ${waitForLockSql(lockKeySql('claims', '?'))}`, [room.bookable_id]),
      send,
      write: () => erase(user),
    })
  const attending = async () =>
    (await world.database('event_attendees').where({ event_id: id }).pluck('user_id')).map(Number)

  for (const scope of ['one', 'all']) {
    it(`no longer include a person who is erased while the event is changed with the scope “${scope}”`, async () => {
      const { status, text } = await sendWhileErasing(guest, () =>
        client.patch(`events/${id}?scope=${scope}`, { name: 'Review' }),
      )
      expect(status, text).to.equal(200)
      expect(await attending()).to.deep.equal([room.user_id])
    })
  }

  it('never include a person whom another write is erasing while the change adds them', async () => {
    const other = await createUser(world.database)
    const { status, text } = await sendDuring(world, {
      lock: (trx) => trx('users').where({ id: other }).delete(),
      send: () =>
        client.patch(`events/${id}?scope=all`, { attendees: { add: [{ type: 'user', id: other }] } }),
      write: async () => undefined,
    })
    expect(status, text).to.equal(200)
    expect((await attending()).sort()).to.deep.equal([room.user_id, guest].sort())
  })

  it('cannot include a person who was erased before the change', async () => {
    const other = await createUser(world.database)
    await erase(other)
    const add = [{ type: 'user', id: other }]
    const { status, json } = await client.patch(`events/${id}`, { attendees: { add } })
    expect([status, Object.keys(json.errors)]).to.deep.equal([422, ['attendees.add.0.id']])
  })
})
