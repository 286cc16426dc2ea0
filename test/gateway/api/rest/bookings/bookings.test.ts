// Tests POST and DELETE of bookings over HTTP: the answers, the refusals, and the stored rows.
import { expect } from 'chai'
import {
  createBooking,
  createDesk,
  createEvent,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('POST bookings', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write')
  let desk: Awaited<ReturnType<typeof createDesk>>
  const slot = { from_time: hoursFromNow(24), to_time: hoursFromNow(32) }

  beforeEach(async () => {
    desk = await createDesk(world.database, { name: 'Desk 12' })
  })

  const bookingsOf = (bookable_id: number) => world.database('bookings').where({ bookable_id })

  it('answers with the booking, in exactly the documented format', async () => {
    const answer = await client.post('bookings', { ...desk, ...slot })
    expect(answer.status).to.equal(200)
    const [booking] = answer.json.data
    const location = await world.database('locations').where({ id: desk.location_id }).first()
    const user = await world.database('users').where({ id: desk.user_id }).first()
    expect(answer.json).to.deep.equal({
      data: [
        {
          id: booking.id,
          from: slot.from_time.replace('.000Z', '.000000Z'),
          to: slot.to_time.replace('.000Z', '.000000Z'),
          livemap: `${world.url}/api/v1/bookings/${booking.id}/livemap`,
          bookable: {
            id: desk.bookable_id,
            name: 'Desk 12',
            type: 0,
            status: 0,
            location: { id: location.id, name: location.name, code: location.code },
          },
          user: { id: user.id, name: user.name, email: user.email, extensionAttributes: {} },
        },
      ],
    })
    expect(await bookingsOf(desk.bookable_id)).to.have.length(1)
  })

  it('keeps microseconds, truncates smaller fractions, and converts times to UTC', async () => {
    const year = new Date().getUTCFullYear() + 1
    const answer = await client.post('bookings', {
      ...desk,
      from_time: `${year}-03-01T09:00:00.123456789+01:00`,
      to_time: `${year}-03-01T10:30+0100`,
    })
    expect(answer.json.data[0]).to.include({
      from: `${year}-03-01T08:00:00.123456Z`,
      to: `${year}-03-01T09:30:00.000000Z`,
    })
  })

  for (const [title, from] of [
    ['absent', {}],
    ['null', { from_time: null }],
  ] as const) {
    it(`starts the booking now when from_time is ${title}`, async () => {
      const before = new Date().toISOString()
      const answer = await client.post('bookings', { ...desk, ...from, to_time: slot.to_time })
      const after = new Date().toISOString()
      expect(answer.status).to.equal(200)
      const started = answer.json.data[0].from.replace('000Z', 'Z')
      expect(started >= before && started <= after, `${before} <= ${started} <= ${after}`).to.equal(true)
    })
  }

  it('allows a start in the past if the end is in the future', async () => {
    const past = await client.post('bookings', {
      ...desk,
      from_time: hoursFromNow(-9),
      to_time: slot.to_time,
    })
    expect(past.status).to.equal(200)
    const over = await client.post('bookings', {
      ...desk,
      from_time: hoursFromNow(-9),
      to_time: hoursFromNow(-3),
    })
    expect(over.status).to.equal(422)
    expect(over.json.errors).to.deep.equal({ to_time: ['to_time must be in the future.'] })
  })

  it('allows bookings that touch each other', async () => {
    for (const [from, to] of [
      [24, 26],
      [26, 28],
      [22, 24],
    ] as const) {
      const times = { from_time: hoursFromNow(from), to_time: hoursFromNow(to) }
      expect((await client.post('bookings', { ...desk, ...times })).status).to.equal(200)
    }
  })

  it('refuses a taken time with the conflicting period and up to three free alternatives', async () => {
    const others = []
    for (let number = 13; number <= 17; number++) {
      others.push(await createDesk(world.database, { name: `Desk ${number}`, location_id: desk.location_id }))
    }
    const [taken, free] = others
    await createBooking(world.database, {
      bookable_id: taken?.bookable_id,
      from: slot.from_time,
      to: slot.to_time,
    })
    await world.database('bookables').where({ id: free?.bookable_id }).update({ status: 1 })
    const claim = { from: hoursFromNow(26), to: hoursFromNow(28) }
    await createBooking(world.database, { bookable_id: desk.bookable_id, ...claim })
    const answer = await client.post('bookings', { ...desk, ...slot })
    expect(answer.status).to.equal(409)
    const { code, detail, message, conflict, alternatives } = answer.json
    expect(code).to.equal('booking_conflict')
    expect(detail).to.match(/^Desk 12 is taken from .+ UTC on \d{4}-\d\d-\d\d\.$/)
    expect(message).to.equal(detail)
    expect(conflict).to.deep.equal({
      bookable_id: desk.bookable_id,
      from: claim.from.replace('.000Z', '.000000Z'),
      to: claim.to.replace('.000Z', '.000000Z'),
    })
    expect(alternatives.map(({ name }: { name: string }) => name)).to.deep.equal([
      'Desk 15',
      'Desk 16',
      'Desk 17',
    ])
    expect(await bookingsOf(desk.bookable_id)).to.have.length(1)
  })

  it('refuses a time that an event or an open-ended booking takes', async () => {
    const event_id = await createEvent(world.database, { from: slot.from_time, to: slot.to_time })
    await createBooking(world.database, {
      bookable_id: desk.bookable_id,
      event_id,
      from: slot.from_time,
      to: slot.to_time,
    })
    expect((await client.post('bookings', { ...desk, ...slot })).json.code).to.equal('booking_conflict')

    const other = await createDesk(world.database)
    await createBooking(world.database, { bookable_id: other.bookable_id, from: slot.from_time, to: null })
    const answer = await client.post('bookings', {
      ...other,
      from_time: hoursFromNow(1000),
      to_time: hoursFromNow(1001),
    })
    expect(answer.json.code).to.equal('booking_conflict')
    expect(answer.json.conflict.to).to.equal(null)
  })

  it('allows several users to book the same home office', async () => {
    const home = await createDesk(world.database, { type: 3 })
    const other = await createUser(world.database)
    expect((await client.post('bookings', { ...home, ...slot })).status).to.equal(200)
    expect((await client.post('bookings', { ...home, ...slot, user_id: other })).status).to.equal(200)
  })

  it('refuses a blocked bookable, and one that is assigned to another user', async () => {
    const bookable = world.database('bookables').where({ id: desk.bookable_id })
    await bookable.clone().update({ status: 1 })
    expect((await client.post('bookings', { ...desk, ...slot })).json.code).to.equal('bookable_blocked')
    await bookable.clone().update({ status: 2 })
    expect((await client.post('bookings', { ...desk, ...slot })).json.code).to.equal('bookable_assigned')
    await world
      .database('bookable_assignees')
      .insert({ bookable_id: desk.bookable_id, user_id: desk.user_id })
    expect((await client.post('bookings', { ...desk, ...slot })).status).to.equal(200)
  })

  it('stores the details of a guest', async () => {
    const guest = { guest_name: '  Ada Lovelace ', guest_email: 'ada@example.com', booking_info: 'Visit' }
    expect((await client.post('bookings', { ...desk, ...slot, ...guest })).status).to.equal(200)
    const row = await bookingsOf(desk.bookable_id).first()
    expect(row).to.include({
      guest_name: 'Ada Lovelace',
      guest_email: 'ada@example.com',
      booking_info: 'Visit',
    })
  })

  it('requires a vehicle if the parking spot does, and stores the current plate of the vehicle', async () => {
    const spot = await createDesk(world.database, { type: 1, name: 'P-1', requires_vehicle: true })
    const vehicle = await createVehicle(world.database, { user_id: spot.user_id, license_plate: 'HH-AB 1' })
    const strange = await createVehicle(world.database)
    const without = await client.post('bookings', { ...spot, ...slot })
    expect(without.json.errors).to.deep.equal({
      user_vehicle_id: ['user_vehicle_id is required: P-1 can only be booked with a vehicle.'],
    })
    const wrong = await client.post('bookings', { ...spot, ...slot, user_vehicle_id: strange })
    expect(wrong.json.errors).to.deep.equal({
      user_vehicle_id: ['This is not one of the user’s vehicles.'],
    })
    expect((await client.post('bookings', { ...spot, ...slot, user_vehicle_id: vehicle })).status).to.equal(
      200,
    )
    const row = await bookingsOf(spot.bookable_id).first()
    expect(row).to.include({ vehicle_id: vehicle, license_plate: 'HH-AB 1' })
  })

  it('stores a vehicle only with parking bookings', async () => {
    const vehicle = await createVehicle(world.database, { user_id: desk.user_id })
    expect((await client.post('bookings', { ...desk, ...slot, user_vehicle_id: vehicle })).status).to.equal(
      200,
    )
    expect(await bookingsOf(desk.bookable_id).first()).to.include({ vehicle_id: null, license_plate: null })
  })

  it('names all malformed fields in one refusal', async () => {
    const answer = await client.post('bookings', {
      bookable_id: String(desk.bookable_id),
      user_id: 1.5,
      from_time: '2026-02-30T10:00:00Z',
      guest_email: 'jane@',
      guest_name: 'x'.repeat(256),
      booking_info: 'bell \u0007',
      user_vehicle_id: 2 ** 53,
    })
    expect(answer.status).to.equal(422)
    expect(answer.json.code).to.equal('validation_failed')
    expect(answer.json.errors).to.have.all.keys(
      'bookable_id',
      'user_id',
      'location_id',
      'from_time',
      'to_time',
      'guest_email',
      'guest_name',
      'booking_info',
      'user_vehicle_id',
    )
    expect(answer.json.errors.to_time).to.deep.equal(['to_time is required.'])
    expect(answer.json.errors.guest_email).to.deep.equal(['guest_email must be a valid e-mail address.'])
  })

  it('names all fields that conflict with stored data in one refusal, if no field is malformed', async () => {
    const gone = await createUser(world.database, { deactivated_at: new Date() })
    const answer = await client.post('bookings', { ...desk, ...slot, location_id: 999_999, user_id: gone })
    expect(answer.status).to.equal(422)
    expect(answer.json.errors).to.deep.equal({
      location_id: ['Desk 12 is not in this location.'],
      user_id: ['There is no active user with this id.'],
    })
    const unknown = await client.post('bookings', { ...desk, ...slot, bookable_id: 999_999 })
    expect(unknown.json.errors).to.deep.equal({ bookable_id: ['There is no bookable with this id.'] })
  })

  it('refuses an end that is not after the start', async () => {
    const same = await client.post('bookings', { ...desk, from_time: slot.to_time, to_time: slot.to_time })
    expect(same.json.errors).to.deep.equal({ to_time: ['to_time must be after from_time.'] })
    expect(await bookingsOf(desk.bookable_id)).to.have.length(0)
  })

  it('ignores unknown fields', async () => {
    const answer = await client.post('bookings', { ...desk, ...slot, colour: 'red', id: 7, exclusive: false })
    expect(answer.status).to.equal(200)
    expect(answer.json.data[0].id).to.not.equal(7)
    expect((await bookingsOf(desk.bookable_id).first()).exclusive).to.equal(true)
  })

  it('writes one entry to the audit log', async () => {
    const answer = await client.post('bookings', { ...desk, ...slot }, { 'X-Request-Id': 'audited-1' })
    const rows = await world.database('audit_log').where({ request_id: 'audited-1' })
    expect(rows).to.have.length(1)
    expect(rows[0]).to.include({
      actor_type: 'token',
      actor_name: 'test',
      action: 'bookings.create',
      resource: 'bookings',
      resource_id: answer.json.data[0].id,
      before: null,
    })
    expect(rows[0].after).to.include({ bookable_id: desk.bookable_id, user_id: desk.user_id })
  })
})

describe('DELETE bookings/{id}', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write')

  it('answers 204 with an empty body, and deletes the booking', async () => {
    const id = await createBooking(world.database, { from: hoursFromNow(1), to: hoursFromNow(2) })
    const answer = await client.delete(`bookings/${id}`, { 'X-Request-Id': 'audited-2' })
    expect(answer.status).to.equal(204)
    expect(answer.text).to.equal('')
    expect(await world.database('bookings').where({ id })).to.have.length(0)
    const [row] = await world.database('audit_log').where({ request_id: 'audited-2' })
    expect(row).to.include({ action: 'bookings.delete', resource_id: id, after: null })
    expect(row.before).to.include({ id })
  })

  it('deletes a booking that has ended', async () => {
    const id = await createBooking(world.database, { from: hoursFromNow(-9), to: hoursFromNow(-8) })
    expect((await client.delete(`bookings/${id}`)).status).to.equal(204)
  })

  it('answers 404 for unknown bookings, event rooms and malformed ids', async () => {
    const event_id = await createEvent(world.database, { from: hoursFromNow(1), to: hoursFromNow(2) })
    const room = await createBooking(world.database, { event_id, from: hoursFromNow(1), to: hoursFromNow(2) })
    for (const id of [room, 999_999, 0, -1, '1.5', 'x', '9007199254740993', '%20']) {
      const answer = await client.delete(`bookings/${id}`)
      expect(answer.status, String(id)).to.equal(404)
      expect(answer.json.detail).to.equal('There is no booking with this id.')
    }
    expect(await world.database('bookings').where({ id: room })).to.have.length(1)
  })
})
