// PUT and PATCH bookings/{id} over HTTP: the answers, the refusals, and the rows afterwards.
import { expect } from 'chai'
import {
  createBooking,
  createDesk,
  createEvent,
  createVehicle,
  hoursFromNow,
} from '../../../../support/factories.ts'
import type { Answered } from '../../../../support/http/http.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const micros = (instant: string) => instant.replace('.000Z', '.000000Z')
const span = (from: number, to: number) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })
const times = (from: number, to: number) => ({ from_time: hoursFromNow(from), to_time: hoursFromNow(to) })

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
    const change = (body: unknown, booking = id): Promise<Answered> =>
      client.ask(`bookings/${booking}`, { method, body })
    const row = (booking = id) =>
      world
        .database('bookings')
        .where({ id: booking })
        .select('*', world.database.raw('lower(during) AS "from", upper(during) AS "to"'))
        .first()
    const bookable = () => world.database('bookables').where({ id: desk.bookable_id })

    async function expectUntouched(ask: () => Promise<Answered>): Promise<Answered> {
      const before = await row()
      const answer = await ask()
      expect(await row()).to.deep.equal(before)
      return answer
    }

    it('answers with the booking as an object, in exactly the interface’s shape', async () => {
      const answer = await change(times(25, 26))
      const location = await world.database('locations').where({ id: desk.location_id }).first()
      const user = await world.database('users').where({ id: desk.user_id }).first()
      expect(answer.status).to.equal(200)
      expect(answer.json).to.deep.equal({
        data: {
          id,
          from: micros(hoursFromNow(25)),
          to: micros(hoursFromNow(26)),
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

    it('keeps the start to the microsecond if from_time is absent', async () => {
      const from = '2020-01-01T08:00:00.123456Z'
      const other = await createBooking(world.database, { ...placed(), from, to: hoursFromNow(2) })
      const answer = await change({ to_time: hoursFromNow(3) }, other)
      expect(answer.json.data).to.include({ from, to: micros(hoursFromNow(3)) })
    })

    it('starts now if from_time is null', async () => {
      const before = new Date().toISOString()
      const { from } = (await change({ from_time: null, to_time: hoursFromNow(26) })).json.data
      const started = from.replace('000Z', 'Z')
      expect(started >= before && started <= new Date().toISOString(), started).to.equal(true)
    })

    it('allows an early end, even one in the past', async () => {
      const running = await book(-5, 5)
      const end = new Date(Date.now() - 60_000).toISOString()
      expect((await change({ to_time: end }, running)).json.data.to).to.equal(
        micros(end.replace('Z', '000Z')),
      )
      const next = await client.post('bookings', { ...desk, to_time: hoursFromNow(5) })
      expect(next.status).to.equal(200)
    })

    it('ends an open-ended booking', async () => {
      const open = await book(40, null)
      expect((await change({ to_time: hoursFromNow(41) }, open)).json.data.to).to.equal(
        micros(hoursFromNow(41)),
      )
    })

    it('can move to a time that touches or overlaps its own', async () => {
      await book(32, 34)
      await book(20, 22)
      for (const [from, to] of [
        [22, 32],
        [22, 24],
        [28, 32],
      ] as const) {
        expect((await change(times(from, to))).status, `${from} to ${to}`).to.equal(200)
      }
    })

    it('refuses a taken time, names the conflict and free alternatives, and changes nothing', async () => {
      const free = await createDesk(world.database, { name: 'Desk 13', location_id: desk.location_id })
      await book(40, 42)
      await book(44, 46)
      const answer = await expectUntouched(() => change(times(41, 45)))
      expect(answer.status).to.equal(409)
      const day = (hours: number) => hoursFromNow(hours).slice(0, 10)
      const clock = (hours: number) => hoursFromNow(hours).slice(11, 16)
      const from = day(40) === day(42) ? clock(40) : `${clock(40)} on ${day(40)}`
      expect(answer.json).to.deep.include({
        code: 'booking_conflict',
        detail: `Desk 12 is taken from ${from} to ${clock(42)} UTC on ${day(42)}.`,
        conflict: {
          bookable_id: desk.bookable_id,
          from: micros(hoursFromNow(40)),
          to: micros(hoursFromNow(42)),
        },
        alternatives: [{ id: free.bookable_id, name: 'Desk 13' }],
      })
    })

    it('also refuses a time that an event takes', async () => {
      const event_id = await createEvent(world.database, span(40, 41))
      await createBooking(world.database, {
        bookable_id: desk.bookable_id,
        event_id,
        ...span(40, 41),
      })
      const answer = await expectUntouched(() => change({ to_time: hoursFromNow(48) }))
      expect(answer.json.code).to.equal('booking_conflict')
    })

    it('lets home offices overlap', async () => {
      const home = await createDesk(world.database, { type: 3 })
      const both = { bookable_id: home.bookable_id, exclusive: false }
      const mine = await createBooking(world.database, { ...both, user_id: home.user_id, ...span(24, 26) })
      await createBooking(world.database, { ...both, ...span(26, 30) })
      expect((await change(times(24, 30), mine)).status).to.equal(200)
    })

    for (const [state, code] of [
      [1, 'bookable_blocked'],
      [2, 'bookable_assigned'],
    ] as const) {
      it(`allows a booking to become shorter, but not move or grow, on a desk of status ${state}`, async () => {
        await bookable().update({ status: state })
        for (const [from, to] of [
          [23, 32],
          [24, 33],
          [40, 41],
        ] as const) {
          const answer = await expectUntouched(() => change(times(from, to)))
          expect([answer.status, answer.json.code], `${from} to ${to}`).to.deep.equal([409, code])
        }
        expect((await change(times(24, 32))).status).to.equal(200)
        expect((await change(times(26, 30))).status).to.equal(200)
      })
    }

    it('can move on a desk that is assigned to its own user', async () => {
      await bookable().update({ status: 2 })
      await world.database('bookable_assignees').insert(placed())
      expect((await change(times(40, 41))).status).to.equal(200)
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

    it('refuses an end that is not after the given or kept start', async () => {
      const sentence = { to_time: ['to_time must be after from_time.'] }
      expect((await change(times(25, 25))).json.errors).to.deep.equal(sentence)
      const kept = await expectUntouched(() => change({ to_time: hoursFromNow(24) }))
      expect([kept.status, kept.json.errors]).to.deep.equal([422, sentence])
    })

    it('requires to_time, and names every invalid field at once', async () => {
      const answer = await expectUntouched(() =>
        change({ from_time: '2026-11-20', user_vehicle_id: '7', bookable_id: 'ignored' }),
      )
      expect(answer.status).to.equal(422)
      expect(answer.json.errors).to.have.all.keys('from_time', 'to_time', 'user_vehicle_id')
      expect(answer.json.errors.to_time).to.deep.equal(['to_time is required.'])
    })

    it('never changes the user or the bookable', async () => {
      const other = await createDesk(world.database)
      await expectUntouched(() => change({ ...times(25, 26), ...other, guest_name: 'Eve' }))
    })

    it('changes the guest and the purpose, also without to_time', async () => {
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
        from: micros(hoursFromNow(24)),
        to: micros(hoursFromNow(30)),
      })
    })

    it('clears the guest and the purpose with null or an empty text, and keeps an open end', async () => {
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

    it('refuses invalid guests and purposes, and requires to_time beside a start or a vehicle', async () => {
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

    it('checks one_at_a_time when a guest’s booking becomes the user’s own', async () => {
      const elsewhere = await createDesk(world.database)
      const rules = JSON.stringify({ one_at_a_time: true })
      await world
        .database('bookables')
        .whereIn('id', [elsewhere.bookable_id, desk.bookable_id])
        .update({ rules })
      const body = { ...elsewhere, user_id: desk.user_id, ...times(24, 32), guest_name: 'Grace' }
      const guest = (await client.post('bookings', body)).json.data[0].id
      expect((await change({ booking_info: 'Interview' }, guest)).status).to.equal(200)
      const refused = await change({ guest_name: null }, guest)
      expect([refused.status, refused.json.code]).to.deep.equal([409, 'already_booked'])
      expect(await row(guest)).to.include({ guest_name: 'Grace' })
    })

    it('answers 404 for unknown bookings, rooms of events, and invalid ids', async () => {
      const event_id = await createEvent(world.database, span(1, 2))
      const room = await createBooking(world.database, { event_id, ...span(1, 2) })
      for (const unknown of [room, 999_999, 0, '1.5', 'x', '9007199254740993']) {
        const answer = await client.ask(`bookings/${unknown}`, { method, body: times(3, 4) })
        expect([answer.status, answer.json.code], String(unknown)).to.deep.equal([404, 'not_found'])
      }
    })

    describe('with a vehicle', () => {
      let spot: Awaited<ReturnType<typeof createDesk>>
      let vehicle: number

      beforeEach(async () => {
        spot = await createDesk(world.database, { type: 1, name: 'P-1', requires_vehicle: true })
        vehicle = await createVehicle(world.database, { user_id: spot.user_id, license_plate: 'HH-AB 1' })
        const body = { ...spot, ...times(24, 32), user_vehicle_id: vehicle }
        id = (await client.post('bookings', body)).json.data[0].id
      })

      it('keeps the vehicle and its plate as of booking if none is named', async () => {
        await world.database('vehicles').where({ id: vehicle }).update({ license_plate: 'HH-ZZ 9' })
        await change(times(24, 30))
        expect(await row()).to.include({ vehicle_id: vehicle, license_plate: 'HH-AB 1' })
      })

      it('accepts another vehicle of the user, with its plate, but not of other users', async () => {
        const second = await createVehicle(world.database, { user_id: spot.user_id, license_plate: 'B-2' })
        expect((await change({ ...times(24, 32), user_vehicle_id: second })).status).to.equal(200)
        expect(await row()).to.include({ vehicle_id: second, license_plate: 'B-2' })
        const strange = await createVehicle(world.database)
        const answer = await expectUntouched(() => change({ ...times(24, 32), user_vehicle_id: strange }))
        expect(answer.json.errors).to.deep.equal({
          user_vehicle_id: ['This is not one of the person’s vehicles.'],
        })
      })

      it('clears it with null, unless the spot requires one', async () => {
        const refused = await expectUntouched(() => change({ ...times(24, 32), user_vehicle_id: null }))
        expect(refused.json.errors).to.deep.equal({
          user_vehicle_id: ['user_vehicle_id is required: P-1 can only be booked with a vehicle.'],
        })
        await world.database('bookables').where({ id: spot.bookable_id }).update({ requires_vehicle: false })
        expect((await change({ ...times(24, 32), user_vehicle_id: null })).status).to.equal(200)
        expect(await row()).to.include({ vehicle_id: null, license_plate: null })
      })

      it('suggests spots that require a vehicle only to users with one', async () => {
        const other = await createDesk(world.database, {
          type: 1,
          name: 'P-2',
          requires_vehicle: true,
          location_id: spot.location_id,
        })
        await createBooking(world.database, { bookable_id: spot.bookable_id, ...span(40, 41) })
        const kept = await change(times(40, 41))
        expect(kept.json.alternatives).to.deep.equal([{ id: other.bookable_id, name: 'P-2' }])
        await world.database('bookables').where({ id: spot.bookable_id }).update({ requires_vehicle: false })
        const cleared = await change({ ...times(40, 41), user_vehicle_id: null })
        expect(cleared.json.alternatives).to.deep.equal([])
      })

      it('stores no vehicle with a desk', async () => {
        const own = await createVehicle(world.database, { user_id: desk.user_id })
        const seat = await book(40, 41)
        expect((await change({ ...times(40, 42), user_vehicle_id: own }, seat)).status).to.equal(200)
        expect(await row(seat)).to.include({ vehicle_id: null, license_plate: null })
      })
    })
  })
}
