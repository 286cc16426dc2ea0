// Tests an administrator's changes of many bookables together: all of them or none, each with its own audit
// entry and its own change in the outbox.

import { expect } from 'chai'
import type { JobName } from '../../../../shared/jobs/jobs.ts'
import { readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

describe('many bookables that an administrator changes together', () => {
  const world = useWorld()
  const admin = useAdmin(world)
  let location_id: number
  let desks: number[]
  let requests = 0

  beforeEach(async () => {
    location_id = await createLocation(world.database)
    desks = []
    for (const name of ['Desk 1', 'Desk 2', 'Desk 3'])
      desks.push(await createBookable(world.database, { location_id, name, tags: ['window'] }))
  })

  const rows = () => world.database('bookables').whereIn('id', desks).orderBy('id')
  const statuses = async () => (await rows()).map(({ status }) => status)
  const assignees = () =>
    world
      .database('bookable_assignees')
      .whereIn('bookable_id', desks)
      .orderBy('bookable_id')
      .pluck('bookable_id')
  const booking = (bookable_id = desks[1], row = {}) =>
    createBooking(world.database, { bookable_id, from: hoursFromNow(1), to: hoursFromNow(2), ...row })

  /** Returns the answer, and the bookables in the audit log and the outbox. */
  async function ask(job: JobName, input: object) {
    const requestId = `many-${++requests}`
    const { status, json } = await admin.ask(job, { ids: desks, ...input }, { requestId })
    const entries = await readAudit(world, requestId)
    const changes = await world.database('changes').where({ request_id: requestId }).orderBy('resource_id')
    const own = entries.filter(({ resource }) => resource === 'bookables')
    const told = changes.filter(({ type }) => type === 'bookable').map(({ resource_id }) => resource_id)
    expect(told, 'told as audited').to.deep.equal(own.map(({ resource_id }) => resource_id))
    return {
      status,
      json,
      changed: json.data?.changed,
      audited: told,
      actions: own.map(({ action }) => action),
    }
  }

  it('can be blocked and unblocked, without an audit entry for unchanged bookables', async () => {
    await world.database('bookables').where({ id: desks[0] }).update({ status: 1 })
    const blocking = await ask('bookables.set-status', { status: 1, in_the_way: 'ask' })
    expect(blocking).to.deep.include({ status: 200, changed: 2, audited: desks.slice(1) })
    expect(blocking.actions).to.deep.equal(['bookables.edit', 'bookables.edit'])
    expect(await statuses()).to.deep.equal([1, 1, 1])
    expect(await ask('bookables.set-status', { status: 0 })).to.deep.include({ changed: 3, audited: desks })
    expect(await statuses()).to.deep.equal([0, 0, 0])
    expect(await ask('bookables.set-status', { status: 0 })).to.deep.include({ changed: 0, audited: [] })
  })

  it('are not blocked if one of them is booked, assigned or deleted', async () => {
    const id = await booking()
    const asked = await ask('bookables.set-status', { status: 1, in_the_way: 'ask' })
    expect([asked.status, asked.json.code, asked.audited]).to.deep.equal([409, 'in_use', []])
    expect(await statuses()).to.deep.equal([0, 0, 0])
    await world.database('bookables').where({ id: desks[2] }).update({ status: 2 })
    const refused = await ask('bookables.set-status', { status: 1, in_the_way: 'release' })
    expect(refused.json).to.include({ code: 'bookable_assigned' })
    expect(refused.json.detail).to.include('Desk 3 is assigned.')
    expect(await world.database('bookings').where({ id }), 'nothing is released').to.have.length(1)
    await world.database('bookables').where({ id: desks[2] }).update({ status: 0 })
    const unknown = await ask('bookables.set-status', {
      ids: [...desks, 999_999],
      status: 1,
      in_the_way: 'release',
    })
    expect(unknown.status).to.equal(422)
    expect(await statuses()).to.deep.equal([0, 0, 0])
    expect(await world.database('bookings').where({ id })).to.have.length(1)
    expect(await ask('bookables.set-status', { status: 1, in_the_way: 'release' })).to.include({ changed: 3 })
    expect(await world.database('bookings').where({ id })).to.have.length(0)
  })

  it('can be assigned to one person and released', async () => {
    const user_id = await createUser(world.database)
    await booking(desks[0], { user_id })
    const given = await ask('bookables.assign-many', { user_id, in_the_way: 'ask' })
    expect(given).to.deep.include({ changed: 3, audited: desks })
    expect(await statuses()).to.deep.equal([2, 2, 2])
    expect(await assignees()).to.deep.equal(desks)
    expect(await ask('bookables.assign-many', { user_id, in_the_way: 'ask' })).to.include({ changed: 0 })
    const other = await createUser(world.database)
    const taken = await ask('bookables.assign-many', { user_id: other, in_the_way: 'ask' })
    expect(taken.json.detail).to.include('Desk 1, Desk 2, Desk 3 are assigned to somebody else.')
    const back = await ask('bookables.unassign-many', {})
    expect(back).to.deep.include({ changed: 3, audited: desks })
    expect(back.actions[0]).to.equal('bookables.unassign-all')
    expect([await statuses(), await assignees()]).to.deep.equal([[0, 0, 0], []])
  })

  it('are not assigned if another person has a booking on one of them', async () => {
    const user_id = await createUser(world.database)
    const id = await booking()
    for (const in_the_way of ['ask', undefined]) {
      const { json } = await ask('bookables.assign-many', { user_id, in_the_way })
      expect(json.code).to.equal('in_use')
      expect(await assignees()).to.deep.equal([])
    }
    expect(await ask('bookables.assign-many', { user_id, in_the_way: 'release' })).to.include({ changed: 3 })
    expect(await world.database('bookings').where({ id })).to.have.length(0)
    const gone = await createUser(world.database, { deactivated_at: new Date() })
    await ask('bookables.unassign-many', {})
    expect((await ask('bookables.assign-many', { user_id: gone })).status).to.equal(422)
    expect(await assignees()).to.deep.equal([])
  })

  it('can get and lose tags, and keep all other tags in order', async () => {
    await world
      .database('bookables')
      .where({ id: desks[2] })
      .update({ tags: ['quiet', 'lamp'] })
    const tagged = await ask('bookables.set-tags', {
      add: ['quiet', 'new "one"'],
      remove: ['window', 'none'],
    })
    expect(tagged).to.deep.include({ changed: 3, audited: desks })
    expect((await rows()).map(({ tags }) => tags)).to.deep.equal([
      ['quiet', 'new "one"'],
      ['quiet', 'new "one"'],
      ['quiet', 'lamp', 'new "one"'],
    ])
    expect(await ask('bookables.set-tags', { add: ['quiet'], remove: [] })).to.include({ changed: 0 })
    const full = Array.from({ length: 99 }, (_, index) => `tag ${index}`)
    const refused = await ask('bookables.set-tags', { add: full, remove: [] })
    expect(refused.json.errors.add[0]).to.include('would have more than 100 tags')
    expect(refused.audited).to.deep.equal([])
  })

  it('move to another floor without their positions, unless the floor has a bookable with that name', async () => {
    const target = await createLocation(world.database, { name: 'Attic' })
    await world.database('bookables').whereIn('id', desks).update({ position_x: 0.5, position_y: 0.5 })
    const there = await createBookable(world.database, { location_id: target, name: 'DESK 2' })
    const refused = await ask('bookables.relocate', { location_id: target })
    expect(refused.json.errors.location_id).to.deep.equal(['Desk 2 already exists in this location.'])
    expect((await rows()).map((row) => row.location_id)).to.deep.equal([
      location_id,
      location_id,
      location_id,
    ])
    await world.database('bookables').where({ id: there }).update({ name: 'Other' })
    expect(await ask('bookables.relocate', { location_id: target })).to.deep.include({
      changed: 3,
      audited: desks,
    })
    for (const row of await rows())
      expect(row).to.include({ location_id: target, position_x: null, position_y: null })
    expect(await ask('bookables.relocate', { location_id: target })).to.include({ changed: 0 })
    expect((await ask('bookables.relocate', { location_id: 999_999 })).status).to.equal(422)
  })

  it('are copied with their floor, but without bookings and assignments', async () => {
    const user_id = await createUser(world.database)
    await world.database('bookable_assignees').insert({ bookable_id: desks[0], user_id })
    await world
      .database('bookables')
      .where({ id: desks[0] })
      .update({ status: 2, integration_email: 'r@example.com' })
    const extra = { status: 1, position_x: 0.25, position_y: 0.75, capacity: 4, description: 'By the door' }
    const shape = { position_width: 0.1, position_height: 0.05, position_rotation: 90 }
    await world
      .database('locations')
      .where({ id: location_id })
      .update({ cell_width: 0.04, plan_shapes: '[]' })
    await world
      .database('bookables')
      .where({ id: desks[1] })
      .update({ ...extra, ...shape })
    await world.database('bookables').where({ id: desks[2] }).update({ deleted_at: new Date() })
    const building_id = (await world.database('locations').where({ id: location_id }).first()).building_id
    const requestId = `copy-${++requests}`
    const input = { id: location_id, building_id, name: 'Copy' }
    const { json } = await admin.ask('locations.copy', input, { requestId })
    const copies = await world.database('bookables').where({ location_id: json.data.id }).orderBy('id')
    expect(copies.map(({ name }) => name)).to.deep.equal(['Desk 1', 'Desk 2'])
    expect(copies[0]).to.deep.include({ status: 0, integration_email: null, tags: ['window'] })
    expect(copies[1]).to.include({ ...extra, ...shape })
    expect(await world.database('locations').where({ id: json.data.id }).first()).to.deep.include({
      cell_width: 0.04,
      plan_shapes: [],
    })
    expect((await readAudit(world, requestId)).map(({ action }) => action)).to.deep.equal([
      'locations.create',
      'bookables.create',
      'bookables.create',
    ])
    expect(await world.database('changes').where({ request_id: requestId })).to.have.length(3)
    expect((await admin.ask('locations.copy', { ...input, building_id: 999_999 })).status).to.equal(422)
  })
})
