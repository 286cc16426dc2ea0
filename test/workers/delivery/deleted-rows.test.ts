// Tests writes that name a row which another write deletes while they wait for it.
import { expect } from 'chai'
import type { JobName } from '../../../shared/jobs/jobs.ts'
import { useAdmin } from '../../support/dashboard/admin.ts'
import { createBooking, createDesk, createUser, createVehicle } from '../../support/factories.ts'
import { sendDuring } from '../../support/faults/lock-waits.ts'
import { useWorld } from '../../support/world.ts'

const NOW = Date.parse('2031-03-03T09:00:00Z')
const SPAN = { from: '2031-03-10T09:00:00Z', to: '2031-03-10T17:00:00Z' }
const TIMES = { from_time: SPAN.from, to_time: SPAN.to }

describe('a write that refers to a row which another write deletes at the same moment', () => {
  const world = useWorld({ workers: ['writes'], now: () => NOW })
  const admin = useAdmin(world)

  type Row = { table: string; where: Record<string, number> }
  type Request = { name: JobName; input: object }

  const ask = ({ name, input }: Request) =>
    admin.ask(name, input, { receivedAt: new Date(NOW).toISOString() })

  /** Sends a write that waits for a lock on the row until another transaction has deleted it. */
  function askWhileDeleting({ table, where }: Row, request: Request) {
    return sendDuring(world, {
      lock: (trx) => trx(table).where(where).forUpdate(),
      send: () => ask(request),
      write: (trx) => trx(table).where(where).delete(),
    })
  }

  async function createMember() {
    const user_id = await createUser(world.database)
    const [group] = await world
      .database('groups')
      .insert({ name: `Group ${user_id}` })
      .returning(['id', 'name'])
    return { user_id, group }
  }

  it('creates the deleted group again if a person is to join it', async () => {
    const { user_id, group } = await createMember()
    const input = { id: user_id, groups: [group.name] }
    const { status } = await askWhileDeleting(
      { table: 'groups', where: { id: group.id } },
      { name: 'users.update', input },
    )
    expect(status).to.equal(200)
    const joined = await world.database('group_members').where({ user_id }).pluck('group_id')
    expect(await world.database('groups').where({ name: group.name }).pluck('id')).to.deep.equal(joined)
  })

  it('refuses to make somebody the lead of a group if they leave it', async () => {
    const { user_id, group } = await createMember()
    const membership = { group_id: group.id, user_id }
    await world.database('group_members').insert(membership)
    const input = { id: group.id, user_ids: [user_id] }
    const { json } = await askWhileDeleting(
      { table: 'group_members', where: membership },
      { name: 'groups.set-leads', input },
    )
    expect(json.errors).to.deep.equal({ user_ids: ['Only active members of the group can lead it.'] })
  })

  it('refuses a wait for a desk if the vehicle is deleted', async () => {
    const { bookable_id, user_id } = await createDesk(world.database)
    await createBooking(world.database, { ...SPAN, bookable_id })
    const id = await createVehicle(world.database, { user_id })
    const input = { user_id, bookable_id, user_vehicle_id: id, ...TIMES }
    const row = { table: 'vehicles', where: { id } }
    const { json } = await askWhileDeleting(row, { name: 'waits.create', input })
    expect(Object.keys(json.errors)).to.deep.equal(['user_vehicle_id'])
  })

  it('refuses a booking request if the vehicle is deleted', async () => {
    const rules = JSON.stringify({ approvers: { user_ids: [await createUser(world.database)] } })
    const desk = await createDesk(world.database, { rules })
    const id = await createVehicle(world.database, { user_id: desk.user_id })
    const input = { ...desk, user_vehicle_id: id, ...TIMES }
    const row = { table: 'vehicles', where: { id } }
    const { json } = await askWhileDeleting(row, { name: 'booking-requests.create', input })
    expect(json.errors).to.deep.equal({ user_vehicle_id: ['This is not one of the user’s vehicles.'] })
  })

  it('refuses a wait for a desk if the desk is deleted with its booking', async () => {
    const { bookable_id } = await createDesk(world.database)
    await createBooking(world.database, { ...SPAN, bookable_id })
    const user_id = await createUser(world.database)
    const { json } = await sendDuring(world, {
      lock: (trx) => trx('users').where({ id: user_id }).forUpdate(),
      send: () => ask({ name: 'waits.create', input: { user_id, bookable_id, ...TIMES } }),
      write: async (trx) => {
        await trx('bookings').where({ bookable_id }).delete()
        await trx('bookables').where({ id: bookable_id }).delete()
      },
    })
    expect([json.code, json.detail]).to.deep.equal(['not_found', 'There is no waitlist for this.'])
  })

  it('does not mark a deleted colleague as a favourite', async () => {
    const [user_id, colleague_id] = [await createUser(world.database), await createUser(world.database)]
    const input = { user_id, colleague_id, is_favourite: true }
    const { status } = await askWhileDeleting(
      { table: 'users', where: { id: colleague_id } },
      { name: 'people.set-favourite', input },
    )
    expect(status).to.equal(204)
    expect(await world.database('favourite_colleagues').where({ user_id })).to.deep.equal([])
  })

  it('makes codes for the desks that still exist', async () => {
    const { bookable_id, location_id } = await createDesk(world.database)
    const [left] = await world
      .database('bookables')
      .insert({ location_id, name: 'Left', type: 0 })
      .returning('id')
    const { json } = await askWhileDeleting(
      { table: 'bookables', where: { id: bookable_id } },
      { name: 'bookables.make-codes', input: { location_id } },
    )
    expect(json.data).to.deep.equal({ made: 1 })
    expect(await world.database('bookable_codes').pluck('bookable_id')).to.deep.equal([left.id])
  })
})
