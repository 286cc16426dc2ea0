// Tests the audit log: each write adds a row in its own transaction. Reads, refusals and repeats add no rows.
import { expect } from 'chai'
import {
  createBookable,
  createBooking,
  createDesk,
  createEvent,
  hoursFromNow,
} from '../../support/factories.ts'
import type { ApiAnswer } from '../../support/http/http.ts'
import { useClient, useWorld } from '../../support/world.ts'

const createTimes = (from: number, to: number) => ({
  from_time: hoursFromNow(from),
  to_time: hoursFromNow(to),
})

describe('the audit log', () => {
  const world = useWorld()
  const client = useClient(world)
  let desk: Awaited<ReturnType<typeof createDesk>>
  let counter = 0

  beforeEach(async () => {
    desk = await createDesk(world.database)
  })

  const log = () => world.database('audit_log').orderBy('id')
  const row = (table: string, id: number) =>
    world
      .database(table)
      .where({ id })
      .first(world.database.raw(`to_jsonb(${table}) AS row`))
      .then((found) => found?.row)

  type Headers = Record<string, string>
  type Entry = { before: Record<string, unknown>; after: Record<string, unknown> }

  /** Returns the only entry of the write, and checks its actor, time and request id. */
  async function entryOf(write: (headers: Headers) => Promise<ApiAnswer>, expected: object): Promise<Entry> {
    const requestId = `audit-${++counter}`
    const before = await log()
    const startedMs = Date.now()
    const answer = await write({ 'X-Request-Id': requestId })
    expect(answer.status, answer.text).to.be.oneOf([200, 204])
    const [entry, ...others] = (await log()).slice(before.length)
    expect(others).to.deep.equal([])
    const token = await world.database('tokens').first()
    expect(entry).to.include({
      actor_type: 'token',
      actor_id: token.id,
      actor_name: token.name,
      request_id: requestId,
      ...expected,
    })
    expect(Date.parse(entry.at)).to.be.within(startedMs - 1_000, Date.now() + 1_000)
    return entry
  }

  async function expectNoEntry(write: () => Promise<ApiAnswer>, status: number) {
    const before = await log()
    expect((await write()).status).to.equal(status)
    expect(await log()).to.deep.equal(before)
  }

  it('records a new booking', async () => {
    let id = 0
    const entry = await entryOf(
      async (headers) => {
        const answer = await client.post(
          'bookings',
          { ...desk, ...createTimes(1, 2), guest_name: 'Ada' },
          headers,
        )
        id = answer.json.data[0].id
        return answer
      },
      { action: 'bookings.create', resource: 'bookings', before: null },
    )
    expect(entry).to.include({ resource_id: id })
    expect(entry.after).to.deep.equal(await row('bookings', id))
    expect(entry.after).to.include({ guest_name: 'Ada', user_id: desk.user_id })
  })

  for (const method of ['PUT', 'PATCH']) {
    it(`records a booking before and after a change (${method})`, async () => {
      const span = { from: hoursFromNow(1), to: hoursFromNow(2) }
      const id = await createBooking(world.database, { bookable_id: desk.bookable_id, ...span })
      const was = await row('bookings', id)
      const entry = await entryOf(
        (headers) =>
          client.ask(`bookings/${id}`, { method, body: createTimes(3, 4), headers: json(headers) }),
        { action: 'bookings.update', resource: 'bookings', resource_id: id },
      )
      expect(entry.before).to.deep.equal(was)
      expect(entry.after).to.deep.equal(await row('bookings', id))
      expect(entry.after.during).to.not.equal(was.during)
    })
  }

  it('records a deleted booking', async () => {
    const id = await createBooking(world.database, { from: hoursFromNow(1), to: hoursFromNow(2) })
    const was = await row('bookings', id)
    const entry = await entryOf((headers) => client.delete(`bookings/${id}`, headers), {
      action: 'bookings.delete',
      resource: 'bookings',
      resource_id: id,
      after: null,
    })
    expect(entry.before).to.deep.equal(was)
  })

  it('records a bookable before and after a change', async () => {
    const was = await row('bookables', desk.bookable_id)
    const body = { name: 'New', description: 'd', status: 1, tags: ['a'] }
    const entry = await entryOf((headers) => client.patch(`bookables/${desk.bookable_id}`, body, headers), {
      action: 'bookables.update',
      resource: 'bookables',
      resource_id: desk.bookable_id,
    })
    expect(entry.before).to.deep.equal(was)
    expect(entry.after).to.deep.equal(await row('bookables', desk.bookable_id))
    expect(entry.after).to.deep.include(body)
  })

  it('records an event with its people and rooms, before and after a change', async () => {
    const room = await createBookable(world.database, { type: 2 })
    const body = { name: 'E', organizer_user_id: desk.user_id, ...createTimes(1, 2) }
    const attendees = [
      { type: 'bookable', id: room },
      { type: 'visitor', email: 'ada@example.com' },
    ]
    let id = 0
    const made = await entryOf(
      async (headers) => {
        const answer = await client.post('events', { ...body, attendees }, headers)
        id = answer.json.data.id
        return answer
      },
      { action: 'events.create', resource: 'events', before: null },
    )
    expect(made).to.include({ resource_id: id })
    expect(made.after).to.deep.include({ name: 'E', bookables: [room] })
    expect(made.after.attendees).to.have.length(2)
    const changed = await entryOf((headers) => client.put(`events/${id}`, { ...body, name: 'F' }, headers), {
      action: 'events.replace',
      resource: 'events',
      resource_id: id,
    })
    expect(changed.before).to.deep.equal(made.after)
    expect(changed.after).to.deep.include({ name: 'F', bookables: null })
    expect(changed.after.attendees).to.have.length(1)
  })

  it('adds no entry for a read', async () => {
    const event = await createEvent(world.database, { from: hoursFromNow(1), to: hoursFromNow(2) })
    for (const path of ['groups', 'buildings', `users/${desk.user_id}`, `events/${event}`]) {
      await expectNoEntry(() => client.get(path), 200)
    }
  })

  it('adds no entry for a refused write', async () => {
    const span = { from: hoursFromNow(1), to: hoursFromNow(2) }
    const id = await createBooking(world.database, { bookable_id: desk.bookable_id, ...span })
    const assigned = await createBookable(world.database, { status: 2 })
    const taken = { attendees: [{ type: 'bookable', id: desk.bookable_id }], organizer_user_id: desk.user_id }
    const event = await createEvent(world.database, { from: hoursFromNow(1), to: hoursFromNow(2) })
    await expectNoEntry(() => client.post('bookings', { ...desk, ...createTimes(1, 2) }), 409)
    await expectNoEntry(
      () => client.post('bookings', { ...desk, ...createTimes(1, 2), user_id: 999_999 }),
      422,
    )
    await expectNoEntry(() => client.put(`bookings/${id}`, createTimes(2, 1)), 422)
    await expectNoEntry(() => client.patch('bookings/999999', createTimes(1, 2)), 404)
    await expectNoEntry(() => client.delete('bookings/999999'), 404)
    await expectNoEntry(() => client.patch(`bookables/${assigned}`, { status: 1 }), 409)
    await expectNoEntry(() => client.post('events', { name: 'x', ...createTimes(1, 2), ...taken }), 409)
    await expectNoEntry(
      () => client.put(`events/${event}`, { name: 'x', ...createTimes(1, 2), ...taken }),
      409,
    )
  })

  it('adds no entry for a write that is repeated with its idempotency key', async () => {
    const key = { 'Idempotency-Key': 'audit' }
    const body = { ...desk, ...createTimes(1, 2) }
    expect((await client.post('bookings', body, key)).status).to.equal(200)
    await expectNoEntry(() => client.post('bookings', body, key), 200)
  })

  it('keeps the name of a token after the token is deleted', async () => {
    await client.delete(
      `bookings/${await createBooking(world.database, { from: hoursFromNow(1), to: null })}`,
    )
    await world.database('tokens').update({ name: 'renamed' })
    expect((await log()).at(-1)).to.include({ actor_name: 'test' })
  })

  function json(headers: Headers): Headers {
    return { 'Content-Type': 'application/json', ...headers }
  }
})
