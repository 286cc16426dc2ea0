// Tests POST bookings/{id}/move, which changes the bookable in one transaction and refuses for the same
// reasons as POST bookings.
import { expect } from 'chai'
import { createToken } from '../../../../../shared/tokens/token-store.ts'
import {
  createBookable,
  createBooking,
  createDesk,
  createEvent,
  createVehicle,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { FEED_WAIT_MS_MAX, readEndOfFeed } from '../../../../support/http/feed.ts'
import { Client } from '../../../../support/http/http.ts'
import { eventually } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const toMicroseconds = (instant: string) => instant.replace('.000Z', '.000000Z')
const createSpan = (from: number, to: number) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })

describe('POST bookings/{id}/move', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write', 'read')
  let desk: Awaited<ReturnType<typeof createDesk>>
  let other: Awaited<ReturnType<typeof createDesk>>
  let id: number
  beforeEach(async () => {
    desk = await createDesk(world.database, { name: 'Desk 12' })
    other = await createDesk(world.database, { name: 'Desk 20' })
    id = await book(24, 32)
  })

  const book = (from: number, to: number, row = {}) =>
    createBooking(world.database, {
      bookable_id: desk.bookable_id,
      user_id: desk.user_id,
      ...createSpan(from, to),
      ...row,
    })
  const move = (fields: object = {}, booking = id, headers = {}) =>
    client.post(`bookings/${booking}/move`, { bookable_id: other.bookable_id, ...fields }, headers)
  const row = (booking = id) =>
    world
      .database('bookings')
      .where({ id: booking })
      .select('*', world.database.raw('lower(during) AS "from", upper(during) AS "to"'))
      .first()
  const setRules = (bookable_id: number, rules: object) =>
    world
      .database('bookables')
      .where({ id: bookable_id })
      .update({ rules: JSON.stringify(rules) })

  async function expectRefused(status: number, code: string, fields: object = {}, booking = id) {
    const before = await row(booking)
    const answer = await move(fields, booking)
    expect([answer.status, answer.json.code], answer.text).to.deep.equal([status, code])
    expect(await row(booking)).to.deep.equal(before)
    return answer.json
  }

  it('answers like PATCH, keeps the id, times and guest of the booking, and frees the old desk', async () => {
    await client.patch(`bookings/${id}`, { guest_name: 'Grace', booking_info: 'Interview' })
    const next = await readEndOfFeed(world.database, client)
    const answer = await move()
    expect(answer.status, answer.text).to.equal(200)
    const { data } = answer.json
    expect(data).to.have.all.keys('id', 'from', 'to', 'livemap', 'bookable', 'user')
    expect(data).to.include({
      id,
      from: toMicroseconds(hoursFromNow(24)),
      to: toMicroseconds(hoursFromNow(32)),
    })
    expect(data.bookable.id).to.equal(other.bookable_id)
    expect(await row()).to.include({ guest_name: 'Grace', booking_info: 'Interview', user_id: desk.user_id })
    const again = { from_time: hoursFromNow(24), to_time: hoursFromNow(32) }
    expect((await client.post('bookings', { ...desk, ...again })).status).to.equal(200)
    const last = await eventually(async () => {
      const [change] = (await client.get(`changes?after=${next}`)).json.data
      expect(change).to.have.property('id')
      return change
    }, FEED_WAIT_MS_MAX)
    expect([last.id, last.previous.bookable.id, last.data.bookable.id]).to.deep.equal([
      id,
      desk.bookable_id,
      other.bookable_id,
    ])
  })

  it('accepts new times, and treats a start of null as now', async () => {
    const times = { from_time: hoursFromNow(40), to_time: hoursFromNow(41) }
    expect((await move(times)).json.data).to.include({
      from: toMicroseconds(hoursFromNow(40)),
      to: toMicroseconds(hoursFromNow(41)),
    })
    const running = await book(-2, 2)
    const before = new Date().toISOString()
    const { from, to } = (await move({ from_time: null }, running)).json.data
    expect(from.replace('000Z', 'Z') >= before && to === toMicroseconds(hoursFromNow(2)), from).to.equal(true)
  })

  it('refuses a taken time with the conflict and free alternatives, and keeps the old desk', async () => {
    const free = await createBookable(world.database, { name: 'Desk 21', location_id: other.location_id })
    await book(30, 34, { bookable_id: other.bookable_id })
    expect(await expectRefused(409, 'booking_conflict')).to.deep.include({
      conflict: {
        bookable_id: other.bookable_id,
        from: toMicroseconds(hoursFromNow(30)),
        to: toMicroseconds(hoursFromNow(34)),
      },
      alternatives: [{ id: free, name: 'Desk 21' }],
    })
  })

  it('lets only one of many simultaneous moves get a desk; the other bookings keep their desks', async () => {
    const second = new Client((await world.startGateway()).url, client.token)
    const ids = await Promise.all(
      Array.from({ length: 6 }, async () =>
        book(50, 51, { bookable_id: (await createDesk(world.database)).bookable_id }),
      ),
    )
    const before = await Promise.all(ids.map((each) => row(each)))
    const answers = await Promise.all(
      ids.map((each, index) =>
        (index % 2 ? client : second).post(`bookings/${each}/move`, { bookable_id: other.bookable_id }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409, 409, 409])
    for (const [index, { status }] of answers.entries()) {
      const { bookable_id } = await row(ids[index])
      expect(bookable_id).to.equal(status === 200 ? other.bookable_id : before[index].bookable_id)
    }
  })

  it('moves a booking once for each idempotency key, even if the booking has moved again since', async () => {
    const key = { 'Idempotency-Key': `move-${id}` }
    const first = await move({}, id, key)
    await move({ bookable_id: desk.bookable_id })
    const again = await move({}, id, key)
    expect([again.status, again.text]).to.deep.equal([200, first.text])
    expect(again.headers.get('Idempotency-Replayed')).to.equal('true')
    expect(await row()).to.include({ bookable_id: desk.bookable_id })
  })

  it('changes nothing if the booking no longer has the ETag in If-Match', async () => {
    const { headers } = await client.get(`bookings/${id}`)
    await client.patch(`bookings/${id}`, { to_time: hoursFromNow(31) })
    const answer = await move({}, id, { 'If-Match': headers.get('ETag') ?? '' })
    expect([answer.status, answer.json.code]).to.deep.equal([412, 'precondition_failed'])
    expect(await row()).to.include({ bookable_id: desk.bookable_id })
  })

  it('refuses desks that cannot be booked', async () => {
    const blocked = await createBookable(world.database, { status: 1 })
    const assigned = await createBookable(world.database, { status: 2 })
    await expectRefused(409, 'bookable_blocked', { bookable_id: blocked })
    await expectRefused(409, 'bookable_assigned', { bookable_id: assigned })
    await expectRefused(409, 'booking_ended', {}, await book(-9, -5))
    await setRules(other.bookable_id, { minutes_max: 60 })
    await expectRefused(409, 'too_long')
  })

  it('applies the new place’s limit on bookings per user', async () => {
    await setRules(other.bookable_id, { bookings_ahead_max: 1 })
    expect((await move({ from_time: hoursFromNow(40), to_time: hoursFromNow(41) })).status).to.equal(200)
    expect((await move({ from_time: hoursFromNow(42), to_time: hoursFromNow(43) })).status).to.equal(200)
    await expectRefused(409, 'too_many_bookings', {}, await book(50, 51))
  })

  it('refuses malformed fields, unknown bookables, and fields that another endpoint changes', async () => {
    const { errors } = await expectRefused(422, 'validation_failed', {
      bookable_id: null,
      from_time: 'today',
      to_time: null,
    })
    expect(errors).to.have.all.keys('bookable_id', 'from_time', 'to_time')
    const unknown = await expectRefused(422, 'validation_failed', { bookable_id: 999_999 })
    expect(unknown.errors).to.deep.equal({ bookable_id: ['There is no bookable with this id.'] })
    const home = await createBookable(world.database, { type: 3 })
    await expectRefused(422, 'validation_failed', { bookable_id: home })
    const spot = await createBookable(world.database, { type: 1, requires_vehicle: true })
    await expectRefused(422, 'validation_failed', { bookable_id: spot })
    await expectRefused(422, 'validation_failed', { from_time: hoursFromNow(33) })
    await expectRefused(422, 'validation_failed', { from_time: hoursFromNow(-3), to_time: hoursFromNow(-2) })
    const vehicle = await createVehicle(world.database, { user_id: desk.user_id })
    const fixed = await expectRefused(422, 'validation_failed', {
      user_id: other.user_id,
      guest_name: 'Eve',
      user_vehicle_id: vehicle,
    })
    expect(fixed.errors).to.deep.equal({
      user_id: ['user_id cannot be changed here: delete the booking and create another.'],
      guest_name: ['guest_name cannot be changed here: use PATCH bookings/{id}.'],
      user_vehicle_id: ['user_vehicle_id cannot be changed here: use PATCH bookings/{id}.'],
    })
    expect((await move({ user_id: desk.user_id, guest_name: null })).status).to.equal(200)
  })

  it('answers 404 for unknown bookings and for event rooms', async () => {
    const event_id = await createEvent(world.database, createSpan(1, 2))
    const room = await createBooking(world.database, { event_id, ...createSpan(1, 2) })
    for (const unknown of [room, 999_999]) {
      const answer = await move({}, unknown)
      expect([answer.status, answer.json.code]).to.deep.equal([404, 'not_found'])
    }
  })

  it('moves bookings only within the buildings of a limited token', async () => {
    const buildingOf = async (location_id: number) =>
      (await world.database('locations').where({ id: location_id }).first()).building_id
    const limitedTo = async (...locations: number[]) => {
      const buildings = await Promise.all(locations.map(buildingOf))
      const abilities = ['booking-write' as const]
      const { token } = await createToken(world.database, {
        name: 'limited',
        abilities,
        buildingIds: buildings,
        createdBy: 'test',
      })
      return new Client(world.url, token)
    }
    const body = { bookable_id: other.bookable_id }
    const from = await (await limitedTo(desk.location_id)).post(`bookings/${id}/move`, body)
    expect([from.status, from.json.errors]).to.deep.equal([
      422,
      { bookable_id: ['There is no bookable with this id.'] },
    ])
    expect((await (await limitedTo(other.location_id)).post(`bookings/${id}/move`, body)).status).to.equal(
      404,
    )
    const both = await limitedTo(desk.location_id, other.location_id)
    expect((await both.post(`bookings/${id}/move`, body)).status).to.equal(200)
  })
})
