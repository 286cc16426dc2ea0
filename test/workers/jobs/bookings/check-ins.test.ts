// Tests check-in over HTTP: when it opens, when it is too late, and how changes of the booking affect it.
import { expect } from 'chai'
import { createBookable, createBooking, createDesk, hoursFromNow } from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const MINUTE_MS = 60_000

const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS).toISOString()
const formatTime = (instant: string) =>
  `${instant.slice(11, 19).replace(/:00$/, '')} UTC on ${instant.slice(0, 10)}`

describe('check-in to a booking', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write', 'object-write', 'read')
  let desk: Awaited<ReturnType<typeof createDesk>>

  beforeEach(async () => {
    desk = await createDesk(world.database, { name: 'Desk 12' })
    await set({ opens_minutes_before: 10, release_minutes_after: 20 })
  })

  const set = async (check_in: object | null) => {
    const answer = await client.put(`bookables/${desk.bookable_id}/rules`, check_in ? { check_in } : {})
    expect(answer.status, answer.text).to.equal(200)
  }
  const book = async (from_time: string, to_time = hoursFromNow(48)): Promise<number> => {
    const answer = await client.post('bookings', { ...desk, from_time, to_time })
    expect(answer.status, answer.text).to.equal(200)
    return answer.json.data[0].id
  }
  const checkIn = (id: number) => client.post(`bookings/${id}/check-in`, undefined)
  const rowOf = (id: number) => world.database('bookings').where({ id }).first()

  it('returns the check-in time, and the same time again if it is repeated', async () => {
    const id = await book(minutesFromNow(5))
    const beforeMs = Date.now()
    const first = await checkIn(id)
    expect(first.status, first.text).to.equal(200)
    const { checked_in_at } = first.json.data
    expect(Date.parse(checked_in_at)).to.be.within(beforeMs, Date.now())
    const { livemap_url: _, ...read } = (await client.get(`bookings/${id}`)).json.data
    expect(read).to.deep.equal(first.json.data)
    expect((await checkIn(id)).json).to.deep.equal(first.json)
    const entries = await world.database('audit_log').where({ action: 'bookings.check-in', resource_id: id })
    expect(entries).to.have.length(1)
  })

  it('opens the configured number of minutes before the start', async () => {
    const from = minutesFromNow(12)
    const id = await book(from)
    const answer = await checkIn(id)
    expect(answer.json).to.include({ status: 409, code: 'check_in_too_early' })
    const opens = new Date(Date.parse(from) - 10 * MINUTE_MS).toISOString()
    expect(answer.json.detail).to.equal(`Check-in opens at ${formatTime(opens)}.`)
    expect((await rowOf(id)).checked_in_at).to.equal(null)
  })

  it('closes at a local time of day for bookings that begin earlier', async () => {
    const { building_id } = await world.database('locations').where({ id: desk.location_id }).first()
    await world.database('buildings').where({ id: building_id }).update({ timezone: 'Asia/Tokyo' })
    await set({ opens_minutes_before: 10, release_minutes_after: 20, by: '10:00' })
    const day = new Date(Date.now() + 3 * 24 * 60 * MINUTE_MS).toISOString().slice(0, 10)
    const untilOf = async (from: string, to: string) => {
      const id = await book(`${day}T${from}:00+09:00`, `${day}T${to}:00+09:00`)
      const [{ at }] = (
        await world.database.raw(
          `SELECT to_char(check_in_until AT TIME ZONE 'Asia/Tokyo', 'HH24:MI') AS at FROM bookings WHERE id = ?`,
          [id],
        )
      ).rows
      return at
    }
    expect(await untilOf('08:00', '09:55'), 'begins earlier').to.equal('10:00')
    expect(await untilOf('09:55', '10:00'), 'begins just before').to.equal('10:00')
    expect(await untilOf('10:00', '11:00'), 'begins then').to.equal('10:20')
    expect(await untilOf('15:00', '17:00'), 'begins later').to.equal('15:20')
  })

  it('is refused after the deadline, whether or not a worker has released the booking', async () => {
    const id = await createBooking(world.database, {
      bookable_id: desk.bookable_id,
      user_id: desk.user_id,
      from: minutesFromNow(-60),
      to: minutesFromNow(60),
      check_in_from: minutesFromNow(-70),
      check_in_until: minutesFromNow(-1),
    })
    const answer = await checkIn(id)
    expect(answer.json).to.include({ status: 409, code: 'booking_ended' })
    expect(answer.json.detail).to.match(/^Nobody checked in by .+, so the booking was released\.$/)
  })

  it('is refused when the booking is over, and answers 404 for unknown bookings', async () => {
    const span = { from: hoursFromNow(-5), to: hoursFromNow(-4) }
    const id = await createBooking(world.database, span)
    expect((await checkIn(id)).json.code).to.equal('booking_ended')
    expect((await checkIn(999_999)).status).to.equal(404)
  })

  it('is allowed from the start of the booking on if no rule requires it', async () => {
    await set(null)
    const id = await book(minutesFromNow(5))
    expect((await checkIn(id)).json.code).to.equal('check_in_too_early')
    const other = await createBookable(world.database, { location_id: desk.location_id })
    const running = await createBooking(world.database, {
      bookable_id: other,
      from: minutesFromNow(-5),
      to: minutesFromNow(60),
    })
    expect((await checkIn(running)).status).to.equal(200)
  })

  it('is required as soon as a booking is made if it starts in the past', async () => {
    const id = await book(minutesFromNow(-120))
    const { check_in_until, created_at } = await rowOf(id)
    expect(Date.parse(check_in_until) - Date.parse(created_at)).to.be.within(19 * MINUTE_MS, 20 * MINUTE_MS)
  })

  it('is required again if the booking is moved to a later start, but not if it ends early', async () => {
    const from = minutesFromNow(5)
    const id = await book(from)
    expect((await checkIn(id)).status).to.equal(200)
    const shorter = await client.put(`bookings/${id}`, { to_time: hoursFromNow(30) })
    expect(shorter.status).to.equal(200)
    expect((await rowOf(id)).checked_in_at).to.not.equal(null)
    const later = minutesFromNow(240)
    expect(
      (await client.put(`bookings/${id}`, { from_time: later, to_time: hoursFromNow(30) })).status,
    ).to.equal(200)
    const row = await rowOf(id)
    expect(row.checked_in_at).to.equal(null)
    expect(Date.parse(row.check_in_until)).to.equal(Date.parse(later) + 20 * MINUTE_MS)
  })

  it('follows the rule that applied when the booking was made', async () => {
    const id = await book(minutesFromNow(60))
    const before = await rowOf(id)
    await set({ opens_minutes_before: 0, release_minutes_after: 1 })
    expect((await rowOf(id)).check_in_until).to.deep.equal(before.check_in_until)
  })

  describe('check-in to a booking that somebody changes', () => {
    const put = (id: number, from_time: string | undefined, to_time: string) =>
      client.put(`bookings/${id}`, { ...(from_time && { from_time }), to_time })
    const windowOf = async (id: number) => {
      const { check_in_from, check_in_until } = await rowOf(id)
      return [check_in_from, check_in_until]
    }
    /** Creates a booking that began an hour ago and requires check-in until then. */
    const createRunning = (closes: string, more: object = {}) =>
      createBooking(world.database, {
        bookable_id: desk.bookable_id,
        user_id: desk.user_id,
        from: minutesFromNow(-60),
        to: minutesFromNow(60),
        check_in_from: minutesFromNow(-70),
        check_in_until: closes,
        ...more,
      })

    it('keeps its deadline if the end of the booking changes, however slightly', async () => {
      const id = await createRunning(minutesFromNow(1))
      const before = await windowOf(id)
      for (const to of [minutesFromNow(60.001), minutesFromNow(30), minutesFromNow(90)]) {
        expect((await put(id, undefined, to)).status).to.equal(200)
        expect(await windowOf(id)).to.deep.equal(before)
      }
    })

    it('keeps its deadline if the booking is ended just before the deadline and extended later', async () => {
      const from = minutesFromNow(-10)
      const id = await book(from, minutesFromNow(5))
      await world
        .database('bookings')
        .where({ id })
        .update({ check_in_until: minutesFromNow(10) })
      const before = await windowOf(id)
      expect((await put(id, undefined, minutesFromNow(60))).status).to.equal(200)
      expect(await windowOf(id)).to.deep.equal(before)
    })

    it('keeps its deadline if the booking gets another start in the past', async () => {
      const closes = minutesFromNow(1)
      const id = await createRunning(closes)
      for (const from of [minutesFromNow(-59.999), minutesFromNow(-5), minutesFromNow(-120)]) {
        expect((await put(id, from, minutesFromNow(60))).status).to.equal(200)
        expect(Date.parse((await rowOf(id)).check_in_until)).to.equal(Date.parse(closes))
      }
    })

    it('keeps its deadline after any later change, whether the booking was released or not', async () => {
      const lost = await createRunning(minutesFromNow(-1))
      for (const from of [undefined, minutesFromNow(-5), minutesFromNow(30)]) {
        const answer = await put(lost, from, minutesFromNow(61))
        expect(answer.json).to.include({ status: 409, code: 'booking_ended' })
        expect(answer.json.detail).to.match(/^Nobody checked in by .+, so the booking was released\.$/)
      }
      expect((await client.delete(`bookings/${lost}`)).status).to.equal(204)
    })

    it('opens again if the booking gets a start in the future', async () => {
      const id = await createRunning(minutesFromNow(1))
      const from = minutesFromNow(30)
      expect((await put(id, from, minutesFromNow(90))).status).to.equal(200)
      const [opens, closes] = await windowOf(id)
      expect([Date.parse(opens), Date.parse(closes)]).to.deep.equal([
        Date.parse(from) - 10 * MINUTE_MS,
        Date.parse(from) + 20 * MINUTE_MS,
      ])
    })

    it('is not required for bookings older than the rule until they are extended', async () => {
      await set(null)
      const id = await book(minutesFromNow(-60), minutesFromNow(60))
      await set({ opens_minutes_before: 10, release_minutes_after: 20 })
      await put(id, undefined, minutesFromNow(30))
      expect(await windowOf(id)).to.deep.equal([null, null])
      await put(id, undefined, minutesFromNow(60))
      const [, closes] = await windowOf(id)
      expect(Date.parse(closes)).to.be.within(Date.now() + 19 * MINUTE_MS, Date.now() + 20 * MINUTE_MS)
    })
  })
})
