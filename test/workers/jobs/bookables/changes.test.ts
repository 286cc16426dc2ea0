// Tests bookables that administrators create and change: many together, in every field, and their position on
// the plan.

import { expect } from 'chai'
import { readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

describe('an administrator’s bookables', () => {
  const world = useWorld()
  const admin = useAdmin(world)
  let location_id: number

  beforeEach(async () => {
    location_id = await createLocation(world.database)
  })

  const find = (id: number) => world.database('bookables').where({ id }).first()
  const namesIn = (id: number) =>
    world.database('bookables').where({ location_id: id }).orderBy('id').pluck('name')

  describe('bookables that are created together', () => {
    it('get the given names in order, and share all other fields', async () => {
      const names = ['P-002', ' P-001 ', 'Süd']
      const fields = {
        description: 'By the lift',
        tags: ['a', 'b', 'a'],
        capacity: 2,
        requires_vehicle: true,
      }
      const body = { location_id, names, type: 1, status: 1, ...fields }
      const made = await admin.ask('bookables.create', body, { requestId: 'many' })
      expect(made.status).to.equal(200)
      const rows = await world.database('bookables').whereIn('id', made.json.data.ids).orderBy('id')
      expect(rows.map(({ name }) => name)).to.deep.equal(['P-002', 'P-001', 'Süd'])
      for (const row of rows) {
        expect(row).to.deep.include({ location_id, type: 1, status: 1, ...fields, tags: ['a', 'b'] })
      }
      const log = await readAudit(world, 'many')
      expect(log.map(({ resource_id }) => resource_id)).to.deep.equal(made.json.data.ids)
      expect(log[1]).to.deep.include({ action: 'bookables.create', before: null })
      expect(log[1].after).to.include({ name: 'P-001', capacity: 2 })
    })

    it('may be at most a thousand', async () => {
      const names = Array.from({ length: 1_001 }, (_, index) => `Desk ${index + 1}`)
      expect((await admin.ask('bookables.create', { location_id, names, type: 0 })).status).to.equal(422)
      const made = await admin.ask('bookables.create', { location_id, names: names.slice(1), type: 0 })
      expect(made.json.data.ids).to.have.length(1_000)
      const row = await find(made.json.data.ids[0])
      expect(row).to.deep.include({ status: 0, tags: [], capacity: null, requires_vehicle: false })
    })

    it('are refused if a name exists or is repeated, with a sentence that contains the name', async () => {
      await createBookable(world.database, { location_id, name: 'Desk 1' })
      const elsewhere = await createLocation(world.database)
      await createBookable(world.database, { location_id: elsewhere, name: 'Desk 2' })
      const names = ['desk 1', 'Desk 2', 'Desk 3', 'DESK 3']
      const { status, json } = await admin.ask('bookables.create', { location_id, names, type: 0 })
      expect(status).to.equal(422)
      expect(json.errors.names).to.have.length(2)
      expect(json.errors.names[0]).to.equal('desk 1 already exists in this location.')
      expect(json.errors.names[1]).to.match(/^desk 3 is in the list more than once\.$/i)
      expect(await namesIn(location_id)).to.deep.equal(['Desk 1'])
    })

    it('are created once if several administrators create the same ones simultaneously', async () => {
      for (let round = 0; round < 5; round++) {
        const id = await createLocation(world.database)
        const answers = await Promise.all(
          ['Desk 1', 'DESK 1', 'desk 1', 'Desk 1'].map((name, index) =>
            admin.ask('bookables.create', { location_id: id, names: [`Room ${index}`, name], type: 0 }),
          ),
        )
        expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 422, 422, 422])
        expect(await namesIn(id)).to.have.length(2)
      }
    })

    it('are refused if a field is invalid, with a sentence', async () => {
      const wrong = { names: [], type: 4, status: 2, capacity: -1, tags: [''], requires_vehicle: 'yes' }
      const { json } = await admin.ask('bookables.create', { location_id, ...wrong })
      expect(json.errors).to.have.all.keys(
        'names',
        'type',
        'status',
        'capacity',
        'tags.0',
        'requires_vehicle',
      )
      const nowhere = await admin.ask('bookables.create', { location_id: 999_999, names: ['x'], type: 0 })
      expect(nowhere.json.errors).to.have.all.keys('location_id')
    })
  })

  describe('bookables that an administrator edits', () => {
    it('change only in the given fields, with an audit entry', async () => {
      const id = await createBookable(world.database, {
        location_id,
        description: 'old',
        capacity: 3,
        status: 1,
      })
      const { name } = await find(id)
      const was = await find(id)
      const edits = { description: null, type: 2, tags: ['x', 'x'], integration_email: 'room@example.com' }
      const { status } = await admin.ask('bookables.edit', { id, ...edits }, { requestId: 'edit' })
      expect(status).to.equal(200)
      expect(await find(id)).to.deep.include({ ...edits, tags: ['x'], name, capacity: 3, status: 1 })
      const [entry, ...others] = await readAudit(world, 'edit')
      expect(others).to.deep.equal([])
      expect(entry.before).to.include({ description: 'old', type: was.type })
      expect(entry.after).to.include({ description: null, type: 2 })
      await admin.ask('bookables.edit', {
        id,
        name: 'Elbe',
        status: 0,
        capacity: null,
        requires_vehicle: true,
      })
      expect(await find(id)).to.include({ name: 'Elbe', status: 0, capacity: null, requires_vehicle: true })
    })

    it('keep their bookings in another location, but lose their position on the floor plan', async () => {
      const id = await createBookable(world.database, { location_id, position_x: 0.5, position_y: 0.5 })
      await admin.ask('bookables.edit', { id, location_id })
      expect(await find(id)).to.include({ position_x: 0.5 })
      const other = await createLocation(world.database)
      expect((await admin.ask('bookables.edit', { id, location_id: other })).status).to.equal(200)
      expect(await find(id)).to.include({ location_id: other, position_x: null, position_y: null })
      const nowhere = await admin.ask('bookables.edit', { id, location_id: 999_999 })
      expect(nowhere.status).to.equal(422)
      expect(nowhere.json.errors).to.have.all.keys('location_id')
    })

    it('need a unique integration e-mail', async () => {
      const id = await createBookable(world.database, { integration_email: 'elbe@example.com' })
      const other = await createBookable(world.database)
      const edit = { id: other, integration_email: 'ELBE@example.com' }
      const refused = await admin.ask('bookables.edit', edit)
      expect(refused.status).to.equal(422)
      expect(refused.json.errors).to.deep.equal({
        integration_email: ['This e-mail address belongs to another room.'],
      })
      await admin.ask('bookables.edit', { id, integration_email: null })
      expect((await admin.ask('bookables.edit', edit)).status).to.equal(200)
    })

    it('keep their status while they are assigned', async () => {
      const id = await createBookable(world.database, { status: 2 })
      const { status, json } = await admin.ask('bookables.edit', { id, status: 0 })
      expect([status, json.code]).to.deep.equal([409, 'bookable_assigned'])
      expect((await admin.ask('bookables.edit', { id, name: 'Still assigned' })).status).to.equal(200)
      expect(await find(id)).to.include({ status: 2, name: 'Still assigned' })
    })

    it('become home offices or normal bookables only if they have no current or future bookings', async () => {
      const [desk, home] = [
        await createBookable(world.database, { name: 'Desk A', type: 0 }),
        await createBookable(world.database, { name: 'Home', type: 3 }),
      ]
      const past = { from: hoursFromNow(-9), to: hoursFromNow(-8) }
      await createBooking(world.database, { bookable_id: desk, ...past })
      expect((await admin.ask('bookables.edit', { id: desk, type: 3 })).status).to.equal(200)
      await admin.ask('bookables.edit', { id: desk, type: 0 })
      const event_id = await createEvent(world.database, { from: hoursFromNow(1), to: hoursFromNow(2) })
      const room = { bookable_id: desk, event_id, from: hoursFromNow(1), to: hoursFromNow(2) }
      await createBooking(world.database, room)
      await createBooking(world.database, {
        bookable_id: home,
        from: hoursFromNow(-9),
        to: null,
        exclusive: false,
      })
      for (const [id, type, name] of [
        [desk, 3, 'Desk A'],
        [home, 0, 'Home'],
      ] as const) {
        const { status, json } = await admin.ask('bookables.edit', { id, type })
        expect([status, json.code]).to.deep.equal([409, 'in_use'])
        expect(json.detail).to.include(`${name} has 1 upcoming booking`)
      }
      expect((await admin.ask('bookables.edit', { id: desk, type: 2 })).status).to.equal(200)
    })

    it('never mix exclusive and shared bookings, even if somebody books simultaneously', async () => {
      const user_id = await createUser(world.database)
      const time = { from_time: hoursFromNow(1), to_time: hoursFromNow(2) }
      const outcomes = new Set<string>()
      for (let round = 0; round < 20; round++) {
        const id = await createBookable(world.database, { location_id })
        const book = () => admin.ask('bookings.create', { bookable_id: id, location_id, user_id, ...time })
        const edit = () => admin.ask('bookables.edit', { id, type: 3 })
        const works = round % 2 ? [edit(), book()] : [book(), edit()]
        const statuses = (await Promise.all(works)).map(({ status }) => status)
        outcomes.add((round % 2 ? statuses.reverse() : statuses).join())
        const { type } = await find(id)
        const [claim] = await world.database('bookings').where({ bookable_id: id })
        expect(claim.exclusive).to.equal(type !== 3)
      }
      for (const outcome of outcomes) expect(outcome).to.be.oneOf(['200,200', '200,409'])
    })
  })

  describe('bookables with a position on the floor plan', () => {
    it('can be placed on the plan and removed from the plan', async () => {
      const id = await createBookable(world.database)
      expect((await admin.ask('bookables.set-position', { id, x: 0, y: 0.25 })).status).to.equal(200)
      expect(await find(id)).to.include({ position_x: 0, position_y: 0.25 })
      expect(
        (await admin.ask('bookables.set-position', { id, x: null, y: null }, { requestId: 'off' })).status,
      ).to.equal(200)
      expect(await find(id)).to.include({ position_x: null, position_y: null })
      const [entry] = await readAudit(world, 'off')
      expect(entry).to.include({ action: 'bookables.set-position', resource_id: id })
      expect(entry.before).to.include({ position_x: 0, position_y: 0.25 })
    })

    it('must be inside the plan', async () => {
      const id = await createBookable(world.database)
      const places = [
        { x: 1.01, y: 0 },
        { x: 0, y: -0.01 },
        { x: null, y: 0 },
        { x: 0, y: null },
        { x: '0', y: 0 },
        { x: 0 },
        { x: Number.NaN, y: 0 },
      ]
      for (const place of places) {
        const { status } = await admin.ask('bookables.set-position', { id, ...place })
        expect(status, JSON.stringify(place)).to.equal(422)
      }
      expect((await admin.ask('bookables.set-position', { id: 999_999, x: 0, y: 0 })).status).to.equal(404)
    })
  })
})
