// Tests bookables that administrators delete: what prevents the deletion, which history is kept, and which listings
// omit them.

import { expect } from 'chai'
import { readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createDesk,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

describe('bookables that an administrator deletes', () => {
  const world = useWorld()
  const client = useClient(world)
  const admin = useAdmin(world)

  const past = () => ({ from: hoursFromNow(-9), to: hoursFromNow(-8) })
  const soon = () => ({ from_time: hoursFromNow(1), to_time: hoursFromNow(2) })
  const find = (id: number) => world.database('bookables').where({ id }).first()
  const remove = (...ids: number[]) => admin.ask('bookables.delete', { ids })

  it('are removed with their assignees if nobody has ever booked them', async () => {
    const id = await createBookable(world.database, { status: 2 })
    const user_id = await createUser(world.database)
    await world.database('bookable_assignees').insert({ bookable_id: id, user_id })
    const other = await createBookable(world.database)
    const { status, json } = await admin.ask(
      'bookables.delete',
      { ids: [id, other, id] },
      { requestId: 'gone' },
    )
    expect([status, json]).to.deep.equal([200, { data: { deleted: 2 } }])
    expect(await find(id)).to.equal(undefined)
    const log = await readAudit(world, 'gone')
    expect(log.map(({ action, resource_id, after }) => ({ action, resource_id, after }))).to.deep.equal([
      { action: 'bookables.delete', resource_id: id, after: null },
      { action: 'bookables.delete', resource_id: other, after: null },
    ])
    expect(log[0].before).to.include({ id, status: 2 })
  })

  it('are not deleted if any of them has current or future bookings or events', async () => {
    const [free, taken, room, running] = [
      await createBookable(world.database),
      await createBookable(world.database, { name: 'Desk 12' }),
      await createBookable(world.database, { name: 'Elbe' }),
      await createBookable(world.database, { name: 'Home', type: 3 }),
    ]
    const hold = (row: object, from: number, to: number | null) =>
      createBooking(world.database, {
        ...row,
        from: hoursFromNow(from),
        to: to === null ? null : hoursFromNow(to),
      })
    await hold({ bookable_id: taken }, 1, 2)
    await hold({ bookable_id: taken }, 2, 3)
    const event_id = await createEvent(world.database, { from: hoursFromNow(1), to: hoursFromNow(2) })
    await hold({ bookable_id: room, event_id }, 1, 2)
    await hold({ bookable_id: running, exclusive: false }, -9, null)
    const { status, json } = await remove(free, taken, room, running)
    expect([status, json.code]).to.deep.equal([409, 'in_use'])
    expect(json.detail).to.include('Desk 12 (2), Elbe (1), Home (1). Nothing was deleted.')
    const left = await world.database('bookables').whereIn('id', [free, taken, room, running])
    expect(left).to.have.length(4)
    expect(left.map(({ deleted_at }) => deleted_at)).to.deep.equal([null, null, null, null])
  })

  it('must exist and not be deleted already', async () => {
    const [id, gone] = [await createBookable(world.database), await createBookable(world.database)]
    await createBooking(world.database, { bookable_id: gone, ...past() })
    expect((await remove(gone)).status).to.equal(200)
    const { status, json } = await remove(id, gone, 999_999)
    expect(status).to.equal(422)
    expect(json.errors.ids).to.deep.equal([
      `There is no desk or room with the id ${gone}.`,
      'There is no desk or room with the id 999999.',
    ])
    expect(await find(id)).to.include({ deleted_at: null })
  })

  describe('deleted bookables with past bookings', () => {
    let desk: Awaited<ReturnType<typeof createDesk>>
    let booking: number
    let event: number
    beforeEach(async () => {
      const location_id = await createLocation(world.database)
      desk = await createDesk(world.database, { location_id, integration_email: 'elbe@example.com' })
      booking = await createBooking(world.database, {
        bookable_id: desk.bookable_id,
        user_id: desk.user_id,
        ...past(),
      })
      event = await createEvent(world.database, { from: hoursFromNow(-7), to: hoursFromNow(-6) })
      await createBooking(world.database, {
        bookable_id: desk.bookable_id,
        event_id: event,
        from: hoursFromNow(-7),
        to: hoursFromNow(-6),
      })
      expect((await remove(desk.bookable_id)).status).to.equal(200)
    })

    const range = () => `from=${hoursFromNow(-24)}&to=${hoursFromNow(24)}`

    it('keep their past bookings and events', async () => {
      const { bookable_id: id, location_id, user_id } = desk
      for (const path of [`users/${user_id}/bookings`, `locations/${location_id}/bookings`, 'bookings']) {
        const { status, json } = await client.get(`${path}?${range()}`)
        expect(status, path).to.equal(200)
        expect(
          json.data.map((each: { id: number }) => each.id),
          path,
        ).to.include(booking)
      }
      const { json } = await client.get(`events/${event}`)
      expect(json.data.bookables.map((each: { id: number }) => each.id)).to.deep.equal([id])
      const picture = await client.get(`bookings/${booking}/livemap`)
      expect(picture.text).to.include(`data-bookable="${id}"`)
    })

    it('are omitted from listings, occupancy figures and the map of their location', async () => {
      const { location_id, bookable_id: id } = desk
      const other = await createBookable(world.database, { location_id })
      const neighbour = await createBooking(world.database, { bookable_id: other, ...past() })
      for (const path of ['bookables', 'bookables/occupancy', 'bookables/occupancy?details=true']) {
        const { status, json } = await client.get(`locations/${location_id}/${path}`)
        expect(status, path).to.equal(200)
        expect(json.data, path).to.have.length(1)
      }
      const picture = await client.get(`bookings/${neighbour}/livemap`)
      expect(picture.text).to.include(`data-bookable="${other}"`).and.not.include(`data-bookable="${id}"`)
    })

    it('no longer exist for reads, events, bookings and changes', async () => {
      const { bookable_id: id, location_id, user_id } = desk
      expect((await client.get(`bookables/${id}/bookings?${range()}`)).status).to.equal(404)
      expect((await client.get(`events?bookable_id=${id}&${range()}`)).status).to.equal(404)
      expect((await client.get(`events/today?bookable_id=${id}`)).status).to.equal(404)
      expect((await client.patch(`bookables/${id}`, { name: 'x' })).status).to.equal(404)
      const booked = await client.post('bookings', { bookable_id: id, location_id, user_id, ...soon() })
      expect([booked.status, Object.keys(booked.json.errors)]).to.deep.equal([422, ['bookable_id']])
      const body = { name: 'E', organizer_user_id: user_id, ...soon() }
      for (const attendee of [{ id }, { email: 'elbe@example.com' }]) {
        const attendees = [{ type: 'bookable', ...attendee }]
        const refused = await client.post('events', { ...body, attendees })
        const field = `attendees.0.${Object.keys(attendee)}`
        expect([refused.status, Object.keys(refused.json.errors)]).to.deep.equal([422, [field]])
      }
      const asked = {
        'bookables.edit': { name: 'x' },
        'bookables.set-position': { x: 0, y: 0 },
        'bookables.assign': { user_id },
        'bookables.unassign': { user_id },
        'bookables.unassign-all': {},
      } as const
      for (const [job, input] of Object.entries(asked)) {
        expect((await admin.ask(job as keyof typeof asked, { id, ...input })).status, job).to.equal(404)
      }
      const moved = await client.put(`bookings/${booking}`, soon())
      expect([moved.status, moved.json.code]).to.deep.equal([409, 'booking_ended'])
    })

    it('are never offered as alternatives, and free their name and e-mail', async () => {
      const { location_id, user_id, bookable_id } = desk
      const { name } = await find(bookable_id)
      const made = await admin.ask('bookables.create', { location_id, names: [name], type: 0 })
      const [id] = made.json.data.ids
      const edit = { id, integration_email: 'elbe@example.com' }
      expect((await admin.ask('bookables.edit', edit)).status).to.equal(200)
      const body = { bookable_id: id, location_id, user_id, ...soon() }
      expect((await client.post('bookings', body)).status).to.equal(200)
      const refused = await client.post('bookings', body)
      expect(refused.json).to.deep.include({ code: 'booking_conflict', alternatives: [] })
    })
  })

  it('are either deleted or booked, but never both, despite simultaneous requests', async () => {
    const outcomes = new Set<string>()
    for (let round = 0; round < 24; round++) {
      const desk = await createDesk(world.database)
      const { bookable_id: id, user_id } = desk
      // Gives half of the bookables past bookings, which prevent that their rows are removed.
      if (round % 4 < 2) await createBooking(world.database, { bookable_id: id, ...past() })
      const meet = () => {
        const attendees = [{ type: 'bookable', id }]
        return admin.ask('events.create', { name: 'E', organizer_user_id: user_id, ...soon(), attendees })
      }
      const take = () => (round % 3 === 0 ? meet() : admin.ask('bookings.create', { ...desk, ...soon() }))
      const works = round % 2 ? [take(), remove(id)] : [remove(id), take()]
      const statuses = (await Promise.all(works)).map(({ status }) => status)
      const [claimed, deleted] = round % 2 ? statuses : statuses.reverse()
      outcomes.add(`${claimed} ${deleted}`)
      const row = await find(id)
      const isDeleted = !row || row.deleted_at !== null
      expect(isDeleted).to.equal(deleted === 200)
      const claims = await world
        .database('bookings')
        .where({ bookable_id: id })
        .whereRaw('upper(during) > now()')
      expect(claims).to.have.length(isDeleted ? 0 : 1)
    }
    for (const outcome of outcomes) expect(outcome).to.be.oneOf(['200 409', '422 200'])
  })
})
