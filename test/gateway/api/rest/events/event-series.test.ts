// Tests series of events over HTTP, and changes of several events of a series in one request.
import { expect } from 'chai'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { sendDuring } from '../../../../support/faults/lock-waits.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

// A Monday in Berlin's winter, before everything that is booked.
const NOW = Date.parse('2026-03-02T12:00:00Z')
const RUNNING = '[2026-03-02T11:00:00Z,2026-03-02T13:00:00Z)'
const ENDED = '[2026-03-02T11:00:00Z,2026-03-02T11:59:59Z)'

describe('series of events', () => {
  const world = useWorld({ now: () => NOW, environment: { WRITE_WAIT_MS: '60000' } })
  const client = useClient(world)
  let room: number
  let other: number
  let organizer: number
  let guest: number
  // From 9 to 10 in Berlin, on a Friday before the clocks go forward.
  const first = { from_time: '2026-03-27T08:00:00Z', to_time: '2026-03-27T09:00:00Z' }
  const weekly = { every: 'week', count: 4 }
  const STARTS = ['2026-03-27T08:00', '2026-04-03T07:00', '2026-04-10T07:00', '2026-04-17T07:00']

  beforeEach(async () => {
    const { database } = world
    const building_id = await createBuilding(database, { timezone: 'Europe/Berlin' })
    const location_id = await createLocation(database, { building_id })
    room = await createBookable(database, { name: 'Isar', location_id, type: 2 })
    other = await createBookable(database, { name: 'Elbe', location_id, type: 2 })
    organizer = await createUser(database)
    guest = await createUser(database)
  })

  type Shown = { id: number; from: string; to: string; status: number; name: string }
  const body = () => ({
    name: 'Planning',
    ...first,
    organizer_user_id: organizer,
    attendees: [
      { type: 'bookable', id: room },
      { type: 'user', id: guest },
      { type: 'visitor', email: 'ada@visitor.example' },
    ],
  })
  const create = async (more: Record<string, unknown> = {}) => {
    const answer = await client.post('events/series', { ...body(), repeat: weekly, ...more })
    expect(answer.status, answer.text).to.equal(200)
    return answer.json.data as { id: number; created: Shown[]; skipped: Array<Record<string, string>> }
  }
  const starts = (events: Array<{ from: string }>) => events.map(({ from }) => from.slice(0, 16))
  const eventsOf = async (id: number, query = ''): Promise<Shown[]> =>
    (await client.get(`event-series/${id}${query}`)).json.data.events
  const taken = async (bookable = room) => {
    const { rows } = await world.database.raw(
      `SELECT to_char(lower(during) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI') AS start
       FROM bookings WHERE bookable_id = ? ORDER BY lower(during)`,
      [bookable],
    )
    return rows.map(({ start }: { start: string }) => start)
  }

  it('repeat at the same local time of their room, and every event names its series', async () => {
    const { id, created, skipped } = await create()
    expect(starts(created)).to.deep.equal(STARTS)
    expect(skipped).to.deep.equal([])
    expect(await taken()).to.deep.equal(STARTS)
    const { data } = (await client.get(`event-series/${id}`)).json
    expect(data).to.deep.equal({
      id,
      timezone: 'Europe/Berlin',
      repeat: { every: 'week', interval: 1, on: null, until: null, count: 4 },
      events: created,
    })
    const detailed = (await client.get(`events/${created[2]?.id}?include=details`)).json.data
    expect(detailed.series_id).to.equal(id)
    expect((await client.get(`series/${id}`)).status).to.equal(404)
    expect((await client.delete(`series/${id}`)).status).to.equal(404)
  })

  it('are refused if one event is refused, or skip that event if the request says so', async () => {
    const times = { from: '2026-04-10T07:30:00Z', to: '2026-04-10T08:00:00Z' }
    await createBooking(world.database, { bookable_id: room, ...times })
    const refused = await client.post('events/series', { ...body(), repeat: weekly })
    expect(refused.json).to.include({ status: 409, code: 'booking_conflict', index: 2 })
    expect(await taken()).to.have.length(1)
    expect(await world.database('events').where({ organizer_user_id: organizer })).to.deep.equal([])
    const { created, skipped } = await create({ on_conflict: 'skip' })
    expect(starts(created)).to.deep.equal(STARTS.filter((start) => start !== '2026-04-10T07:00'))
    expect(skipped.map(({ from, code }) => [from?.slice(0, 16), code])).to.deep.equal([
      ['2026-04-10T07:00', 'booking_conflict'],
    ])
  })

  it('are created once when the request is repeated with the same idempotency key', async () => {
    const key = { 'Idempotency-Key': 'event-series' }
    const one = await client.post('events/series', { ...body(), repeat: weekly }, key)
    expect((await client.post('events/series', { ...body(), repeat: weekly }, key)).text).to.equal(one.text)
    expect(await taken()).to.have.length(4)
  })

  it('can have a year of daily events, but no more attendees than one write can save', async () => {
    const { created } = await create({ repeat: { every: 'day', count: 366 } })
    expect(created).to.have.length(366)
    const visitors = Array.from({ length: 60 }, (_, each) => ({
      type: 'visitor',
      email: `v${each}@visitor.example`,
    }))
    const many = { ...body(), attendees: visitors, repeat: { every: 'day', count: 366 } }
    expect((await client.post('events/series', many)).json.errors).to.deep.equal({
      attendees: ['A series of 366 events can have at most 54 attendees.'],
    })
  })

  /** Sends a request that waits until another transaction has ended this event, which is running. */
  const sendWhileEnding = async (id: number | undefined, send: () => ReturnType<typeof client.get>) => {
    await world.database('events').where({ id }).update({ during: RUNNING })
    return sendDuring(world, {
      lock: (trx) => trx('events').where({ id }).forUpdate(),
      send,
      write: (trx) => trx('events').where({ id }).update({ during: ENDED }),
    })
  }

  describe('with a scope', () => {
    it('changes all events except one that another write cancels first', async () => {
      const { id, created } = await create()
      const [named, , cancelled] = created.map((each) => each.id)
      const { status, text } = await sendDuring(world, {
        lock: (trx) => trx('events').where({ id: cancelled }).forUpdate(),
        send: () => client.patch(`events/${named}?scope=all`, { name: 'Review' }),
        async write(trx) {
          await trx('bookings').where({ event_id: cancelled }).delete()
          await trx('events').where({ id: cancelled }).update({ status: 2 })
        },
      })
      expect(status, text).to.equal(200)
      const events = (await eventsOf(id)).map((each) => `${each.name} ${each.status}`)
      expect(events).to.deep.equal(['Review 1', 'Review 1', 'Planning 2', 'Review 1'])
    })

    it('changes all events except one that another write ends first', async () => {
      const { id, created } = await create()
      const [ended, named] = created.map((each) => each.id)
      const { status, text } = await sendWhileEnding(ended, () =>
        client.patch(`events/${named}?scope=all`, { name: 'Review' }),
      )
      expect(status, text).to.equal(200)
      expect((await eventsOf(id)).filter(({ name }) => name === 'Planning')).to.have.length(1)
    })

    it('cancels all events except one that another write ends first', async () => {
      const { id, created } = await create()
      const [ended, named] = created.map((each) => each.id)
      const { status, text } = await sendWhileEnding(ended, () => client.delete(`events/${named}?scope=all`))
      expect(status, text).to.equal(204)
      expect((await eventsOf(id)).map((each) => each.status)).to.deep.equal([1, 2, 2, 2])
    })

    it('“following” changes an event and all later events, which keep the same local time', async () => {
      const { id, created } = await create()
      // An hour later, in winter time and in summer time.
      const change = { name: 'Review', from_time: '2026-04-03T08:00:00Z', to_time: '2026-04-03T09:30:00Z' }
      const changed = await client.patch(`events/${created[1]?.id}?scope=following`, change)
      expect(changed.status, changed.text).to.equal(200)
      expect(changed.json.data).to.include({ id: created[1]?.id, name: 'Review' })
      expect(changed.headers.get('etag')).to.equal(
        (await client.get(`events/${created[1]?.id}`)).headers.get('etag'),
      )
      const events = await eventsOf(id)
      expect(events.map(({ from, to, name }) => [from.slice(0, 16), to.slice(11, 16), name])).to.deep.equal([
        ['2026-03-27T08:00', '09:00', 'Planning'],
        ['2026-04-03T08:00', '09:30', 'Review'],
        ['2026-04-10T08:00', '09:30', 'Review'],
        ['2026-04-17T08:00', '09:30', 'Review'],
      ])
      expect(await taken()).to.deep.equal(starts(events))
    })

    it('“all” keeps the local time across clock changes, and lets events move to the former times of others', async () => {
      const { id, created } = await create({ repeat: { every: 'day', count: 5 } })
      const change = { from_time: '2026-03-28T08:00:00Z', to_time: '2026-03-28T09:00:00Z' }
      const changed = await client.patch(`events/${created[0]?.id}?scope=all`, change)
      expect(changed.status, changed.text).to.equal(200)
      expect(starts(await eventsOf(id))).to.deep.equal([
        '2026-03-28T08:00',
        '2026-03-29T07:00',
        '2026-03-30T07:00',
        '2026-03-31T07:00',
        '2026-04-01T07:00',
      ])
    })

    it('“all” keeps the length of an event if the clocks skip its new time', async () => {
      const { id, created } = await create({ repeat: { every: 'day', count: 3 } })
      // From 2:30 to 3:00 in Berlin. On 2026-03-29, the clocks go from 2:00 to 3:00.
      const change = { from_time: '2026-03-27T01:30:00Z', to_time: '2026-03-27T02:00:00Z' }
      const changed = await client.patch(`events/${created[0]?.id}?scope=all`, change)
      expect(changed.status, changed.text).to.equal(200)
      const events = await eventsOf(id)
      expect(events.map(({ from, to }) => [from.slice(0, 16), to.slice(11, 16)])).to.deep.equal([
        ['2026-03-27T01:30', '02:00'],
        ['2026-03-28T01:30', '02:00'],
        ['2026-03-29T01:30', '02:00'],
      ])
    })

    it('changes even the longest series that one request can create', async () => {
      const visitors = Array.from({ length: 999 }, (_, each) => ({
        type: 'visitor',
        email: `v${each}@visitor.example`,
      }))
      const attendees = [{ type: 'bookable', id: room }, ...visitors]
      const { id, created } = await create({ attendees, repeat: { every: 'day', count: 20 } })
      const put = { name: 'Review', to_time: first.to_time, attendees }
      for (const changed of [
        await client.patch(`events/${created[0]?.id}?scope=all`, { name: 'Retro' }),
        await client.put(`events/${created[0]?.id}?scope=all`, put),
      ])
        expect(changed.status, changed.text).to.equal(200)
      expect(new Set((await eventsOf(id)).map(({ name }) => name))).to.deep.equal(new Set(['Review']))
    })

    it('“one”, the default, changes and cancels a single event', async () => {
      const { id, created } = await create()
      await client.patch(`events/${created[1]?.id}`, { name: 'Once' })
      await client.delete(`events/${created[2]?.id}?scope=one`)
      const events = await eventsOf(id)
      expect(events.map(({ name }) => name)).to.deep.equal(['Planning', 'Once', 'Planning', 'Planning'])
      expect(events.map(({ status }) => status)).to.deep.equal([1, 1, 2, 1])
    })

    it('changes no date if one date conflicts, and names that date', async () => {
      const { id, created } = await create()
      const times = { from: '2026-04-17T09:00:00Z', to: '2026-04-17T10:00:00Z' }
      await createBooking(world.database, { bookable_id: room, ...times })
      const before = await eventsOf(id)
      const change = { from_time: '2026-03-27T10:00:00Z', to_time: '2026-03-27T11:00:00Z' }
      const refused = await client.patch(`events/${created[0]?.id}?scope=all`, change)
      expect(refused.json).to.include({
        code: 'booking_conflict',
        detail:
          'This is not possible on 2026-04-17. Isar is taken from 11:00 to 12:00 (Europe/Berlin) on 2026-04-17.',
      })
      expect(refused.json.conflict).to.include({ bookable_id: room })
      expect(await eventsOf(id)).to.deep.equal(before)
    })

    it('adds and removes the same people and rooms on all dates, even if visitors have different ids', async () => {
      const { id, created } = await create()
      const detailed = (await client.get(`events/${created[0]?.id}?include=details`)).json.data
      const ada = detailed.attendees.find(({ type }: { type: string }) => type === 'visitor')
      await client.patch(`events/${created[2]?.id}`, { attendees: { remove: [guest] } })
      const attendees = {
        add: [{ type: 'bookable', id: other }],
        remove: [ada.id, guest, { type: 'bookable', id: room }],
      }
      const changed = await client.patch(`events/${created[0]?.id}?scope=all`, { attendees })
      expect(changed.status, changed.text).to.equal(200)
      const events = (await eventsOf(id)) as Array<
        Shown & { attendees: unknown[]; bookables: Array<{ id: number }> }
      >
      expect(events.map(({ attendees: people }) => people.length)).to.deep.equal([1, 1, 1, 1])
      expect(await taken(other)).to.deep.equal(STARTS)
      expect(await taken(room)).to.deep.equal([])
      const unknown = { attendees: { remove: [ada.id] } }
      expect((await client.patch(`events/${created[0]?.id}?scope=all`, unknown)).status).to.equal(422)
    })

    it('PUT replaces all events in the scope', async () => {
      const { id, created } = await create()
      const replacement = {
        name: 'New',
        to_time: '2026-04-03T07:30:00Z',
        attendees: [{ type: 'bookable', id: other }],
      }
      const replaced = await client.put(`events/${created[1]?.id}?scope=following`, replacement)
      expect(replaced.status, replaced.text).to.equal(200)
      const events = await eventsOf(id)
      expect(events.map(({ to, name }) => [to.slice(11, 16), name])).to.deep.equal([
        ['09:00', 'Planning'],
        ['07:30', 'New'],
        ['07:30', 'New'],
        ['07:30', 'New'],
      ])
      expect(await taken(other)).to.deep.equal(STARTS.slice(1))
    })

    it('DELETE cancels an event and all later events, or all events that are not over', async () => {
      const { id, created } = await create()
      expect((await client.delete(`events/${created[2]?.id}?scope=following`)).status).to.equal(204)
      expect((await eventsOf(id)).map(({ status }) => status)).to.deep.equal([1, 1, 2, 2])
      expect(await taken()).to.deep.equal(STARTS.slice(0, 2))
      const past = { during: '[2026-02-27T08:00:00Z,2026-02-27T09:00:00Z)' }
      await world.database('events').where({ id: created[0]?.id }).update(past)
      expect((await client.delete(`events/${created[1]?.id}?scope=all`)).status).to.equal(204)
      expect((await eventsOf(id)).map(({ status }) => status)).to.deep.equal([1, 2, 2, 2])
    })

    it('must be valid, and has no effect on an event without a series', async () => {
      const { json } = await client.post('events', body())
      const changed = await client.patch(`events/${json.data.id}?scope=all`, { name: 'Alone' })
      expect(changed.json.data.name).to.equal('Alone')
      expect((await client.delete(`events/${json.data.id}?scope=next`)).json.errors).to.deep.equal({
        scope: ['scope must be “one”, “following” or “all”.'],
      })
      expect((await client.delete('events/999999?scope=all')).status).to.equal(404)
    })

    it('checks If-Match for the event in the path', async () => {
      const { created } = await create()
      const { headers } = await client.get(`events/${created[1]?.id}`)
      const etag = { 'If-Match': String(headers.get('etag')) }
      expect((await client.patch(`events/${created[1]?.id}?scope=all`, { name: 'A' }, etag)).status).to.equal(
        200,
      )
      expect((await client.patch(`events/${created[1]?.id}?scope=all`, { name: 'B' }, etag)).status).to.equal(
        412,
      )
    })
  })

  it('DELETE of a series cancels all its events except one that another write ends first', async () => {
    const { id, created } = await create()
    const ended = created[0]?.id
    const { status, text } = await sendWhileEnding(ended, () => client.delete(`event-series/${id}`))
    expect(status, text).to.equal(204)
    expect((await eventsOf(id)).map((each) => each.status)).to.deep.equal([1, 2, 2, 2])
  })

  it('DELETE of a series cancels its events from a given time on', async () => {
    const { id } = await create()
    expect((await client.delete(`event-series/${id}?from=2026-04-10T00:00:00Z`)).status).to.equal(204)
    expect((await eventsOf(id)).map(({ status }) => status)).to.deep.equal([1, 1, 2, 2])
    expect((await client.delete(`event-series/${id}`)).status).to.equal(204)
    expect(await taken()).to.deep.equal([])
    expect((await client.delete('event-series/999999')).status).to.equal(404)
    const logged = await world.database('audit_log').where({ resource: 'series', resource_id: id })
    expect(logged.map(({ action }) => action)).to.deep.equal([
      'series.create',
      'series.delete',
      'series.delete',
    ])
  })
})
