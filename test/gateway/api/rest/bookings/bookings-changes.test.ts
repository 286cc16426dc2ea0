// Tests PUT and PATCH bookings/{id} over HTTP: the answers, the refusals, and the stored rows.
import { expect } from 'chai'
import {
  createBooking,
  createDesk,
  createEvent,
  createVehicle,
  hoursFromNow,
} from '../../../../support/factories.ts'
import type { ApiAnswer } from '../../../../support/http/http.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const toMicroseconds = (instant: string) => instant.replace('.000Z', '.000000Z')
const createSpan = (from: number, to: number) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })
const createTimes = (from: number, to: number) => ({
  from_time: hoursFromNow(from),
  to_time: hoursFromNow(to),
})

for (const method of ['PUT', 'PATCH'] as const) {
  describe(`${method} bookings/{id}`, () => {
    const world = useWorld()
    const client = useClient(world, 'booking-write')
    let desk: Awaited<ReturnType<typeof createDesk>>
    let id: number

    beforeEach(async () => {
      desk = await createDesk(world.database, { name: 'Desk 12' })
      id = await book(24, 32)
    })

    const placed = () => ({ bookable_id: desk.bookable_id, user_id: desk.user_id })
    const book = (from: number, to: number | null) =>
      createBooking(world.database, {
        ...placed(),
        from: hoursFromNow(from),
        to: to === null ? null : hoursFromNow(to),
      })
    const change = (body: unknown, booking = id): Promise<ApiAnswer> =>
      client.ask(`bookings/${booking}`, { method, body })
    const row = (booking = id) =>
      world
        .database('bookings')
        .where({ id: booking })
        .select('*', world.database.raw('lower(during) AS "from", upper(during) AS "to"'))
        .first()
    const bookable = () => world.database('bookables').where({ id: desk.bookable_id })

    async function expectUntouched(ask: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
      const before = await row()
      const answer = await ask()
      expect(await row()).to.deep.equal(before)
      return answer
    }

    it('answers with the booking as an object, in exactly the documented format', async () => {
      const answer = await change(createTimes(25, 26))
      const location = await world.database('locations').where({ id: desk.location_id }).first()
      const user = await world.database('users').where({ id: desk.user_id }).first()
      expect(answer.status).to.equal(200)
      expect(answer.json).to.deep.equal({
        data: {
          id,
          from: toMicroseconds(hoursFromNow(25)),
          to: toMicroseconds(hoursFromNow(26)),
          livemap: `${world.url}/api/v1/bookings/${id}/livemap`,
          bookable: {
            id: desk.bookable_id,
            name: 'Desk 12',
            type: 0,
            status: 0,
            location: { id: location.id, name: location.name, code: location.code },
          },
          user: { id: user.id, name: user.name, email: user.email, extensionAttributes: {} },
        },
      })
    })

    it('keeps the start of the booking to the microsecond if from_time is absent', async () => {
      const from = '2020-01-01T08:00:00.123456Z'
      const other = await createBooking(world.database, { ...placed(), from, to: hoursFromNow(2) })
      const answer = await change({ to_time: hoursFromNow(3) }, other)
      expect(answer.json.data).to.include({ from, to: toMicroseconds(hoursFromNow(3)) })
    })

    it('starts the booking now if from_time is null', async () => {
      const before = new Date().toISOString()
      const { from } = (await change({ from_time: null, to_time: hoursFromNow(26) })).json.data
      const started = from.replace('000Z', 'Z')
      expect(started >= before && started <= new Date().toISOString(), started).to.equal(true)
    })

    it('can end the booking early, even at a time in the past', async () => {
      const running = await book(-5, 5)
      const end = new Date(Date.now() - 60_000).toISOString()
      expect((await change({ to_time: end }, running)).json.data.to).to.equal(
        toMicroseconds(end.replace('Z', '000Z')),
      )
      const next = await client.post('bookings', { ...desk, to_time: hoursFromNow(5) })
      expect(next.status).to.equal(200)
    })

    it('can end an open-ended booking', async () => {
      const open = await book(40, null)
      expect((await change({ to_time: hoursFromNow(41) }, open)).json.data.to).to.equal(
        toMicroseconds(hoursFromNow(41)),
      )
    })

    it('can move a booking to a time that touches or overlaps its old time', async () => {
      await book(32, 34)
      await book(20, 22)
      for (const [from, to] of [
        [22, 32],
        [22, 24],
        [28, 32],
      ] as const) {
        expect((await change(createTimes(from, to))).status, `${from} to ${to}`).to.equal(200)
      }
    })

    it('refuses a taken time, names the conflict and free alternatives, and leaves the booking unchanged', async () => {
      const free = await createDesk(world.database, { name: 'Desk 13', location_id: desk.location_id })
      await book(40, 42)
      await book(44, 46)
      const answer = await expectUntouched(() => change(createTimes(41, 45)))
      expect(answer.status).to.equal(409)
      const day = (hours: number) => hoursFromNow(hours).slice(0, 10)
      const clock = (hours: number) => hoursFromNow(hours).slice(11, 16)
      const from = day(40) === day(42) ? clock(40) : `${clock(40)} on ${day(40)}`
      expect(answer.json).to.deep.include({
        code: 'booking_conflict',
        detail: `Desk 12 is taken from ${from} to ${clock(42)} UTC on ${day(42)}.`,
        conflict: {
          bookable_id: desk.bookable_id,
          from: toMicroseconds(hoursFromNow(40)),
          to: toMicroseconds(hoursFromNow(42)),
        },
        alternatives: [{ id: free.bookable_id, name: 'Desk 13' }],
      })
    })

    it('refuses a time that an event takes', async () => {
      const event_id = await createEvent(world.database, createSpan(40, 41))
      await createBooking(world.database, {
        bookable_id: desk.bookable_id,
        event_id,
        ...createSpan(40, 41),
      })
      const answer = await expectUntouched(() => change({ to_time: hoursFromNow(48) }))
      expect(answer.json.code).to.equal('booking_conflict')
    })

    it('allows overlapping bookings of a home office', async () => {
      const home = await createDesk(world.database, { type: 3 })
      const both = { bookable_id: home.bookable_id, exclusive: false }
      const mine = await createBooking(world.database, {
        ...both,
        user_id: home.user_id,
        ...createSpan(24, 26),
      })
      await createBooking(world.database, { ...both, ...createSpan(26, 30) })
      expect((await change(createTimes(24, 30), mine)).status).to.equal(200)
    })

    for (const [state, code] of [
      [1, 'bookable_blocked'],
      [2, 'bookable_assigned'],
    ] as const) {
      it(`lets a booking become shorter, but not move or grow, on a desk with the status ${state}`, async () => {
        await bookable().update({ status: state })
        for (const [from, to] of [
          [23, 32],
          [24, 33],
          [40, 41],
        ] as const) {
          const answer = await expectUntouched(() => change(createTimes(from, to)))
          expect([answer.status, answer.json.code], `${from} to ${to}`).to.deep.equal([409, code])
        }
        expect((await change(createTimes(24, 32))).status).to.equal(200)
        expect((await change(createTimes(26, 30))).status).to.equal(200)
      })
    }

    it('can move a booking on a desk that is assigned to the user of the booking', async () => {
      await bookable().update({ status: 2 })
      await world.database('bookable_assignees').insert(placed())
      expect((await change(createTimes(40, 41))).status).to.equal(200)
    })

    it('refuses to change a booking that has ended', async () => {
      const ended = await book(-9, -5)
      const before = await row(ended)
      const answer = await change({ to_time: hoursFromNow(5) }, ended)
      expect([answer.status, answer.json.code]).to.deep.equal([409, 'booking_ended'])
      expect(await row(ended)).to.deep.equal(before)
      expect(answer.json.detail).to.match(
        /^The booking ended at \d\d:\d\d UTC on .* and cannot be changed\.$/,
      )
    })

    it('refuses an end that is not after the start, whether the start is in the request or unchanged', async () => {
      const sentence = { to_time: ['to_time must be after from_time.'] }
      expect((await change(createTimes(25, 25))).json.errors).to.deep.equal(sentence)
      const kept = await expectUntouched(() => change({ to_time: hoursFromNow(24) }))
      expect([kept.status, kept.json.errors]).to.deep.equal([422, sentence])
    })

    it('requires to_time, and names all invalid fields in one refusal', async () => {
      const answer = await expectUntouched(() =>
        change({ from_time: '2026-11-20', user_vehicle_id: '7', bookable_id: 'ignored' }),
      )
      expect(answer.status).to.equal(422)
      expect(answer.json.errors).to.have.all.keys('from_time', 'to_time', 'user_vehicle_id')
      expect(answer.json.errors.to_time).to.deep.equal(['to_time is required.'])
    })

    it('never changes the user or the bookable of a booking', async () => {
      const other = await createDesk(world.database)
      await expectUntouched(() => change({ ...createTimes(25, 26), ...other, guest_name: 'Eve' }))
    })

    it('changes the guest and the purpose, even without to_time', async () => {
      const guest = {
        guest_name: 'Grace Hopper',
        guest_email: 'grace@example.org',
        booking_info: 'Interview',
      }
      expect((await change(guest)).status).to.equal(200)
      expect((await change({ guest_name: ' Grace ', to_time: hoursFromNow(30) })).status).to.equal(200)
      const { data } = (await world.client('read').then((reader) => reader.get(`bookings/${id}`))).json
      expect(data).to.deep.include({
        guest: 'Grace',
        guest_email: 'grace@example.org',
        booking_info: 'Interview',
        from: toMicroseconds(hoursFromNow(24)),
        to: toMicroseconds(hoursFromNow(30)),
      })
    })

    it('clears the guest and the purpose if they are null or empty, and keeps an open end', async () => {
      const open = await book(40, null)
      await change({ guest_name: 'Grace', guest_email: 'grace@example.org', booking_info: 'Interview' }, open)
      expect((await change({ guest_name: '', guest_email: null }, open)).json.data.to).to.equal(null)
      expect((await change({ booking_info: null }, open)).status).to.equal(200)
      expect(await row(open)).to.include({
        guest_name: null,
        guest_email: null,
        booking_info: null,
        to: null,
      })
    })

    it('refuses invalid guests and purposes, and requires to_time with a new start or vehicle', async () => {
      const invalid = { guest_name: 'x'.repeat(256), guest_email: 'x', booking_info: 'x'.repeat(1_001) }
      const answer = await expectUntouched(() => change(invalid))
      expect(answer.json.errors).to.have.all.keys('guest_name', 'guest_email', 'booking_info')
      for (const other of [{ from_time: null }, { user_vehicle_id: null }, {}, { to_time: null }]) {
        const { status, json } = await expectUntouched(() =>
          change({ ...(Object.keys(other).length > 0 && { guest_name: 'Eve' }), ...other }),
        )
        expect([status, json.errors]).to.deep.equal([422, { to_time: ['to_time is required.'] }])
      }
    })

    it('checks the rule one_at_a_time when a guest’s booking becomes the user’s own', async () => {
      const elsewhere = await createDesk(world.database)
      const rules = JSON.stringify({ one_at_a_time: true })
      await world
        .database('bookables')
        .whereIn('id', [elsewhere.bookable_id, desk.bookable_id])
        .update({ rules })
      const body = { ...elsewhere, user_id: desk.user_id, ...createTimes(24, 32), guest_name: 'Grace' }
      const guest = (await client.post('bookings', body)).json.data[0].id
      expect((await change({ booking_info: 'Interview' }, guest)).status).to.equal(200)
      const refused = await change({ guest_name: null }, guest)
      expect([refused.status, refused.json.code]).to.deep.equal([409, 'already_booked'])
      expect(await row(guest)).to.include({ guest_name: 'Grace' })
    })

    it('answers 404 for unknown bookings, event rooms and malformed ids', async () => {
      const event_id = await createEvent(world.database, createSpan(1, 2))
      const room = await createBooking(world.database, { event_id, ...createSpan(1, 2) })
      for (const unknown of [room, 999_999, 0, '1.5', 'x', '9007199254740993']) {
        const answer = await client.ask(`bookings/${unknown}`, { method, body: createTimes(3, 4) })
        expect([answer.status, answer.json.code], String(unknown)).to.deep.equal([404, 'not_found'])
      }
    })

    describe('the vehicle of a booking', () => {
      let spot: Awaited<ReturnType<typeof createDesk>>
      let vehicle: number

      beforeEach(async () => {
        spot = await createDesk(world.database, { type: 1, name: 'P-1', requires_vehicle: true })
        vehicle = await createVehicle(world.database, { user_id: spot.user_id, license_plate: 'HH-AB 1' })
        const body = { ...spot, ...createTimes(24, 32), user_vehicle_id: vehicle }
        id = (await client.post('bookings', body)).json.data[0].id
      })

      it('stays, with its plate from the time of booking, if a change names no vehicle', async () => {
        await world.database('vehicles').where({ id: vehicle }).update({ license_plate: 'HH-ZZ 9' })
        await change(createTimes(24, 30))
        expect(await row()).to.include({ vehicle_id: vehicle, license_plate: 'HH-AB 1' })
      })

      it('can be another vehicle of the same user, with its plate, but not one of another user', async () => {
        const second = await createVehicle(world.database, { user_id: spot.user_id, license_plate: 'B-2' })
        expect((await change({ ...createTimes(24, 32), user_vehicle_id: second })).status).to.equal(200)
        expect(await row()).to.include({ vehicle_id: second, license_plate: 'B-2' })
        const strange = await createVehicle(world.database)
        const answer = await expectUntouched(() =>
          change({ ...createTimes(24, 32), user_vehicle_id: strange }),
        )
        expect(answer.json.errors).to.deep.equal({
          user_vehicle_id: ['This is not one of the user’s vehicles.'],
        })
      })

      it('is removed by null, unless the parking spot requires a vehicle', async () => {
        const refused = await expectUntouched(() => change({ ...createTimes(24, 32), user_vehicle_id: null }))
        expect(refused.json.errors).to.deep.equal({
          user_vehicle_id: ['user_vehicle_id is required: P-1 can only be booked with a vehicle.'],
        })
        await world.database('bookables').where({ id: spot.bookable_id }).update({ requires_vehicle: false })
        expect((await change({ ...createTimes(24, 32), user_vehicle_id: null })).status).to.equal(200)
        expect(await row()).to.include({ vehicle_id: null, license_plate: null })
      })

      it('decides which spots are suggested: spots that require a vehicle only if the user has one', async () => {
        const other = await createDesk(world.database, {
          type: 1,
          name: 'P-2',
          requires_vehicle: true,
          location_id: spot.location_id,
        })
        await createBooking(world.database, { bookable_id: spot.bookable_id, ...createSpan(40, 41) })
        const kept = await change(createTimes(40, 41))
        expect(kept.json.alternatives).to.deep.equal([{ id: other.bookable_id, name: 'P-2' }])
        await world.database('bookables').where({ id: spot.bookable_id }).update({ requires_vehicle: false })
        const cleared = await change({ ...createTimes(40, 41), user_vehicle_id: null })
        expect(cleared.json.alternatives).to.deep.equal([])
      })

      it('is not stored for a desk', async () => {
        const own = await createVehicle(world.database, { user_id: desk.user_id })
        const seat = await book(40, 41)
        expect((await change({ ...createTimes(40, 42), user_vehicle_id: own }, seat)).status).to.equal(200)
        expect(await row(seat)).to.include({ vehicle_id: null, license_plate: null })
      })
    })
  })
}
