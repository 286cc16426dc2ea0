// Tests POST bookings/check, which answers like POST bookings but stores nothing.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  createBookable,
  createBooking,
  createDesk,
  createLocation,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('POST bookings/check', () => {
  const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const client = useClient(world)
  let times: { from_time: string; to_time: string }
  beforeEach(() => {
    times = { from_time: hoursFromNow(24), to_time: hoursFromNow(26) }
  })

  it('accepts a possible booking, and stores neither the booking nor an audit entry', async () => {
    const desk = await createDesk(world.database)
    const answer = await client.post('bookings/check', { ...desk, ...times })
    expect(answer.status).to.equal(200)
    expect(answer.json).to.deep.equal({ data: { allowed: true } })
    expect(await world.database('bookings').where({ bookable_id: desk.bookable_id })).to.deep.equal([])
    expect(await world.database('audit_log').where({ action: 'bookings.create' })).to.deep.equal([])
    expect((await client.post('bookings', { ...desk, ...times })).status).to.equal(200)
  })

  it('explains a refusal with the conflict and free alternatives', async () => {
    const desk = await createDesk(world.database, { name: 'Desk 12' })
    const other = await createBookable(world.database, { name: 'Desk 13', location_id: desk.location_id })
    const claim = { from: hoursFromNow(25), to: hoursFromNow(30) }
    await createBooking(world.database, { bookable_id: desk.bookable_id, ...claim })
    const { data } = (await client.post('bookings/check', { ...desk, ...times })).json
    expect(data).to.deep.include({
      allowed: false,
      code: 'booking_conflict',
      conflict: {
        bookable_id: desk.bookable_id,
        from: claim.from.replace('.000Z', '.000000Z'),
        to: claim.to.replace('.000Z', '.000000Z'),
      },
      alternatives: [{ id: other, name: 'Desk 13' }],
    })
    expect(data.detail).to.match(/^Desk 12 is taken/)
  })

  it('gives a repeated request with the same idempotency key the first answer', async () => {
    const desk = await createDesk(world.database)
    const ask = () => client.post('bookings/check', { ...desk, ...times }, { 'Idempotency-Key': 'first' })
    expect((await ask()).json).to.deep.equal({ data: { allowed: true } })
    await client.post('bookings', { ...desk, ...times })
    const repeat = await ask()
    expect(repeat.headers.get('Idempotency-Replayed')).to.equal('true')
    expect(repeat.json).to.deep.equal({ data: { allowed: true } })
  })

  it('predicts the answer of POST bookings for random bookings', async function random() {
    this.timeout(180_000)
    const { database } = world
    const location_id = await createLocation(database)
    const elsewhere = await createLocation(database)
    const users = [await createUser(database), await createUser(database)]
    const gone = await createUser(database, { deactivated_at: new Date() })
    const vehicle = await createVehicle(database, { user_id: users[0] })
    const rows = [
      {},
      {},
      { status: 1 },
      { status: 2 },
      { type: 1, requires_vehicle: true },
      { type: 3 },
      { deleted_at: new Date() },
      { rules: JSON.stringify({ minutes_max: 180, bookings_ahead_max: 3 }) },
      { rules: JSON.stringify({ one_at_a_time: true }) },
    ]
    const bookables: number[] = []
    for (const row of rows) bookables.push(await createBookable(database, { location_id, ...row }))
    await database('bookable_assignees').insert({ bookable_id: bookables[3], user_id: users[1] })
    const booking = fc.record({
      bookable_id: fc.constantFrom(...bookables.slice(0, 2), ...bookables, 999_999),
      location_id: fc.constantFrom(location_id, location_id, location_id, elsewhere),
      user_id: fc.constantFrom(...users, ...users, gone, 999_999),
      from_time: fc.integer({ min: -2, max: 12 }).map(hoursFromNow),
      to_time: fc.integer({ min: -1, max: 16 }).map(hoursFromNow),
      user_vehicle_id: fc.constantFrom(undefined, undefined, vehicle, null),
    })
    await fc.assert(
      fc.asyncProperty(booking, async (body) => {
        const before = await database('bookings').count()
        const checked = await client.post('bookings/check', body)
        expect(await database('bookings').count()).to.deep.equal(before)
        const booked = await client.post('bookings', body)
        if (checked.status === 422) {
          expect(booked.status).to.equal(422)
          expect(booked.json.errors).to.deep.equal(checked.json.errors)
          return
        }
        const { allowed, ...why } = checked.json.data
        expect(booked.status === 200, booked.text).to.equal(allowed)
        if (allowed) return
        const { code, detail, errors, conflict, alternatives } = booked.json
        const said = { code, detail, errors, conflict, alternatives }
        expect(why).to.deep.equal(JSON.parse(JSON.stringify(said)))
      }),
      { numRuns: 40 },
    )
  })
})
