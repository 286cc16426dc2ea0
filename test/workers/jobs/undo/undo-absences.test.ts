// Tests undoing what a write did to absences and to the bookings that it released.
import { expect } from 'chai'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { createBookable, createBooking, createUser } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

const DAYS = { from: '2031-03-03', to: '2031-03-14' }

describe('undoing absences', () => {
  const world = useWorld()
  const admin = useAdmin(world)
  const ask = async (...asked: Parameters<typeof admin.ask>) => {
    const { status, json } = await admin.ask(...asked)
    expect(status, JSON.stringify(json)).to.be.below(300)
    return json?.data
  }
  const entryOf = async (action: string, resource_id: number) =>
    (await world.database('audit_log').where({ action, resource_id }).orderBy('id', 'desc').first()).id

  it('deletes the absence, and restores all its bookings with their ids', async () => {
    const user_id = await createUser(world.database)
    const book = (from: string, to: string | null) => createBooking(world.database, { user_id, from, to })
    const day = await book('2031-03-03T09:00:00Z', '2031-03-03T17:00:00Z')
    const permanent = await book('2031-02-01T09:00:00Z', null)
    const list = () => world.database('bookings').where({ user_id }).orderBy('id').select('id', 'during')
    const before = await list()
    const { id, released_bookings } = await ask('absences.create', {
      user_id,
      ...DAYS,
      release_bookings: true,
    })
    expect(released_bookings).to.equal(2)
    expect((await list()).map((row: { id: number }) => row.id))
      .to.include(permanent)
      .and.not.include(day)
    const undone = await ask('audit-entries.undo', { id: await entryOf('absences.create', id) })
    expect(undone).to.deep.equal({ undone: 4, left: 0 })
    const released = await world.database('audit_log').where({ action: 'bookings.release-away' })
    expect(released.map((entry) => Number(entry.resource_id))).to.have.members([day, permanent])
    expect(await list()).to.deep.equal(before)
    expect(await world.database('absences').where({ user_id })).to.deep.equal([])
  })

  it('restores a deleted absence with its id, unless the person is away again', async () => {
    const user_id = await createUser(world.database)
    const { id } = await ask('absences.create', { user_id, ...DAYS })
    await ask('absences.delete', { user_id, absence_id: id })
    const entry = await entryOf('absences.delete', id)
    await ask('audit-entries.undo', { id: entry })
    expect(await world.database('absences').where({ user_id }).pluck('id')).to.deep.equal([id])
    const again = await admin.ask('audit-entries.undo', { id: entry })
    expect(again.status).to.equal(409)
    await ask('absences.delete', { user_id, absence_id: id })
    await ask('absences.create', { user_id, ...DAYS })
    const last = await admin.ask('audit-entries.undo', { id: await entryOf('absences.delete', id) })
    expect([last.status, last.json.code]).to.deep.equal([409, 'already_away'])
  })

  it('changes nothing if somebody else has booked one of the desks since then', async () => {
    const user_id = await createUser(world.database)
    const bookable_id = await createBookable(world.database)
    const span = { from: '2031-03-03T09:00:00Z', to: '2031-03-03T17:00:00Z', bookable_id }
    await createBooking(world.database, { user_id, ...span })
    const { id } = await ask('absences.create', { user_id, ...DAYS, release_bookings: true })
    await createBooking(world.database, span)
    const refused = await admin.ask('audit-entries.undo', { id: await entryOf('absences.create', id) })
    expect(refused.status).to.equal(409)
    expect(await world.database('absences').where({ user_id })).to.have.length(1)
  })
})
