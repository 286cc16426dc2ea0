// Tests series of bookings over HTTP.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Knex } from 'knex'
import {
  createBookable,
  createBooking,
  createBuilding,
  createDesk,
  createLocation,
} from '../../../../support/factories.ts'
import { sendDuring } from '../../../../support/faults/lock-waits.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const HOUR_MS = 3_600_000
// A Monday in winter in Berlin, before all other bookings.
const NOW = Date.parse('2026-03-02T12:00:00Z')

describe('series of bookings', () => {
  const world = useWorld({ now: () => NOW, environment: { WRITE_WAIT_MS: '60000' } })
  const client = useClient(world)
  let desk: Awaited<ReturnType<typeof createDesk>>
  // A Friday from 9 to 17 in Berlin, shortly before the clocks go forward.
  const day = { from_time: '2026-03-27T08:00:00Z', to_time: '2026-03-27T16:00:00Z' }
  const weekly = { every: 'week', on: [1, 5], count: 3 }

  beforeEach(async () => {
    const building_id = await createBuilding(world.database, { timezone: 'Europe/Berlin' })
    const location_id = await createLocation(world.database, { building_id })
    desk = await createDesk(world.database, { name: 'Desk 1', location_id })
  })

  const create = (body: Record<string, unknown>, headers?: Record<string, string>) =>
    client.post('bookings/series', { ...desk, ...day, ...body }, headers)
  const starts = (bookings: Array<{ from: string }>) => bookings.map(({ from }) => from.slice(0, 16))
  const held = async () => {
    const { rows } = await world.database.raw(
      `SELECT to_char(lower(during) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI') AS start, id, series_id
       FROM bookings WHERE bookable_id = ? ORDER BY lower(during)`,
      [desk.bookable_id],
    )
    return rows as Array<{ start: string; id: number; series_id: number | null }>
  }

  it('repeat at the same local time of the building, and every booking names its series', async () => {
    const { status, json, text } = await create({ repeat: weekly })
    expect(status, text).to.equal(200)
    const { id, created, skipped } = json.data
    expect(starts(created)).to.deep.equal(['2026-03-27T08:00', '2026-03-30T07:00', '2026-04-03T07:00'])
    expect(skipped).to.deep.equal([])
    const one = (await client.get(`bookings/${created[1].id}`)).json.data
    expect(one.series_id).to.equal(id)
    const { data } = (await client.get(`series/${id}`)).json
    expect(data).to.deep.equal({
      id,
      timezone: 'Europe/Berlin',
      repeat: { every: 'week', interval: 1, on: [1, 5], until: null, count: 3 },
      bookings: created,
    })
    const logged = await world.database('audit_log').where({ resource: 'series', resource_id: id })
    expect(logged.map(({ action }) => action)).to.deep.equal(['series.create'])
  })

  it('change while another write restores one of their bookings', async () => {
    const { created, id } = (await create({ repeat: weekly })).json.data
    await world.database.transaction(async (trx) => {
      // Inserting a booking of the series takes this lock, after the locks of claims.
      await trx.raw('SELECT FROM series WHERE id = ? FOR KEY SHARE', [id])
      const change = { booking_info: 'Moved' }
      const changing = client.patch(`bookings/${created[0].id}?scope=all`, change)
      const late = sleep(20_000).then(() => ({ status: 'waits for the other write' }))
      expect((await Promise.race([changing, late])).status).to.equal(200)
    })
  })

  /** Changes a series while another transaction holds a lock. That transaction writes once the change waits for the lock. */
  const changeDuring = (
    named: number,
    lock: string,
    id: number,
    write: (trx: Knex) => PromiseLike<unknown>,
  ) =>
    sendDuring(world, {
      lock: (trx) => trx.raw(lock, [id]),
      send: () => client.patch(`bookings/${named}?scope=all`, { booking_info: 'Moved' }),
      write,
    })
  const changeWhileDeleting = (named: number, deleted: number, lock: string, id: number) =>
    changeDuring(named, lock, id, (trx) => trx('bookings').where({ id: deleted }).delete())
  const at = (fromNowMs: number) => new Date(NOW + fromNowMs).toISOString()
  const start = (id: number) =>
    world.database.raw('UPDATE bookings SET during = tstzrange(?, ?) WHERE id = ?', [
      at(-HOUR_MS),
      at(HOUR_MS),
      id,
    ])
  const infos = (series_id: number) =>
    world.database('bookings').where({ series_id }).orderBy('during').pluck('booking_info')

  it('stay unchanged, and the request answers 404, if another write deletes the named booking first', async () => {
    const { created, id } = (await create({ repeat: weekly })).json.data
    const lock = 'SELECT FROM series WHERE id = ? FOR UPDATE'
    const { status, json } = await changeWhileDeleting(created[0].id, created[0].id, lock, id)
    expect([status, json.code]).to.deep.equal([404, 'not_found'])
    expect(await infos(id)).to.deep.equal([null, null])
  })

  it('are changed except for a booking that another write deletes first', async () => {
    const { created, id } = (await create({ repeat: weekly })).json.data
    const lock = 'SELECT FROM bookings WHERE id = ? FOR UPDATE'
    const { status, text } = await changeWhileDeleting(created[0].id, created[1].id, lock, created[1].id)
    expect(status, text).to.equal(200)
    expect(await infos(id)).to.deep.equal(['Moved', 'Moved'])
  })

  it('are changed except for a booking that another write ends first', async () => {
    const { created, id } = (await create({ repeat: weekly })).json.data
    const [running, named] = [created[0].id, created[1].id]
    await start(running)
    const lock = 'SELECT FROM bookings WHERE id = ? FOR UPDATE'
    const { status, text } = await changeDuring(named, lock, running, (trx) =>
      trx.raw('UPDATE bookings SET during = tstzrange(lower(during), ?) WHERE id = ?', [at(-1000), running]),
    )
    expect(status, text).to.equal(200)
    expect(await infos(id)).to.deep.equal([null, 'Moved', 'Moved'])
  })

  it('are changed except for a booking to which nobody checked in by the deadline, even if it is not released yet', async () => {
    const { created, id } = (await create({ repeat: weekly })).json.data
    const window = { check_in_from: at(-HOUR_MS), check_in_until: at(-1000) }
    await start(created[0].id)
    await world.database('bookings').where({ id: created[0].id }).update(window)
    const change = { booking_info: 'Moved' }
    const { status, text } = await client.patch(`bookings/${created[1].id}?scope=all`, change)
    expect(status, text).to.equal(200)
    expect(await infos(id)).to.deep.equal([null, 'Moved', 'Moved'])
    const { json } = await client.patch(`bookings/${created[0].id}?scope=all`, change)
    expect(json.code).to.equal('booking_ended')
  })

  it('are refused as a whole if one booking is refused, and the refusal names its position', async () => {
    const times = { from: '2026-03-30T09:00:00Z', to: '2026-03-30T10:00:00Z' }
    await createBooking(world.database, { bookable_id: desk.bookable_id, ...times })
    const refused = await create({ repeat: weekly })
    expect(refused.status).to.equal(409)
    expect(refused.json).to.include({ code: 'booking_conflict', index: 1 })
    expect(await held()).to.have.length(1)
    expect(await world.database('series').where({ timezone: 'none' })).to.deep.equal([])
  })

  it('skip days on which the bookable is taken, if the request allows skipping', async () => {
    const times = { from: '2026-03-30T09:00:00Z', to: '2026-03-30T10:00:00Z' }
    await createBooking(world.database, { bookable_id: desk.bookable_id, ...times })
    const { json } = await create({ repeat: weekly, on_conflict: 'skip' })
    expect(starts(json.data.created)).to.deep.equal(['2026-03-27T08:00', '2026-04-03T07:00'])
    expect(json.data.skipped).to.deep.equal([
      {
        from: '2026-03-30T07:00:00.000000Z',
        to: '2026-03-30T15:00:00.000000Z',
        code: 'booking_conflict',
        detail: 'Desk 1 is taken from 11:00 to 12:00 (Europe/Berlin) on 2026-03-30.',
      },
    ])
    const nothing = await create({ repeat: { every: 'day', count: 1 }, on_conflict: 'skip' })
    expect(nothing.json).to.include({ status: 409, code: 'booking_conflict', index: 0 })
    const wrong = await create({ user_id: 999_999, repeat: weekly, on_conflict: 'skip' })
    expect(wrong.json.errors).to.have.all.keys('user_id')
  })

  it('check their own bookings against each other', async () => {
    const long = { to_time: '2026-03-28T10:00:00Z', repeat: { every: 'day', count: 3 } }
    expect((await create(long)).json).to.include({ code: 'booking_conflict', index: 1 })
    const { json } = await create({ ...long, on_conflict: 'skip' })
    expect(starts(json.data.created)).to.deep.equal(['2026-03-27T08:00', '2026-03-29T07:00'])
  })

  it('are created once when the request is repeated with the same idempotency key', async () => {
    const key = { 'Idempotency-Key': 'series' }
    const first = await create({ repeat: weekly }, key)
    expect((await create({ repeat: weekly }, key)).text).to.equal(first.text)
    expect(await held()).to.have.length(3)
  })

  it('are refused with an error for each invalid field of their recurrence rule', async () => {
    const errorsOf = async (repeat: unknown) => (await create({ repeat })).json.errors
    expect(await errorsOf(undefined)).to.deep.equal({ repeat: ['repeat is required.'] })
    expect(await errorsOf({ every: 'month', interval: 9, on: [8], count: 0 })).to.have.all.keys(
      'repeat.every',
      'repeat.interval',
      'repeat.on.0',
      'repeat.count',
    )
    const ends = ['Either repeat.until or count is required, but not both.']
    expect(await errorsOf({ every: 'day' })).to.deep.equal({ 'repeat.until': ends })
    expect(await errorsOf({ every: 'day', count: 2, until: '2026-04-01' })).to.deep.equal({
      'repeat.until': ends,
    })
    expect(await errorsOf({ every: 'day', until: '2026-02-30' })).to.deep.equal({
      'repeat.until': ['repeat.until must be a date such as 2026-11-20.'],
    })
    expect(await errorsOf({ every: 'day', on: [1], count: 2 })).to.deep.equal({
      'repeat.on': ['repeat.on is allowed only for weekly repeats.'],
    })
    expect(await errorsOf({ every: 'day', until: '2099-01-01' })).to.deep.equal({
      'repeat.until': ['A series has at most 366 dates.'],
    })
    expect(await held()).to.deep.equal([])
  })

  describe('DELETE of a series of bookings', () => {
    // Creates bookings yesterday, today and tomorrow; the booking of today is running.
    const aSeries = async () => {
      const hour = (hours: number) => new Date(NOW + hours * HOUR_MS).toISOString()
      const [{ id }] = await world
        .database('series')
        .insert({ repeat: { every: 'day', interval: 1, on: null, until: null, count: 4 }, timezone: 'UTC' })
        .returning('id')
      for (const from of [-26, -2, 22, 46])
        await createBooking(world.database, {
          bookable_id: desk.bookable_id,
          user_id: desk.user_id,
          series_id: id,
          from: hour(from),
          to: hour(from + 4),
        })
      return id
    }
    const spans = async () => {
      const { rows } = await world.database.raw(
        `SELECT array_agg(extract(epoch FROM lower(during) - :now)::int / 3600 || ' '
           || extract(epoch FROM upper(during) - :now)::int / 3600 ORDER BY lower(during)) AS spans
         FROM bookings WHERE bookable_id = :id`,
        { now: new Date(NOW).toISOString(), id: desk.bookable_id },
      )
      return rows[0].spans
    }

    it('deletes future bookings, ends the current booking, and keeps past bookings', async () => {
      const id = await aSeries()
      expect((await client.delete(`series/${id}`)).status).to.equal(204)
      expect(await spans()).to.deep.equal(['-26 -22', '-2 0'])
      const { data } = (await client.get(`series/${id}`)).json
      expect(data.bookings).to.have.length(2)
      const logged = await world.database('audit_log').orderBy('id', 'desc').limit(4).pluck('action')
      expect(logged).to.have.members([
        'bookings.delete',
        'bookings.delete',
        'bookings.update',
        'series.delete',
      ])
      expect((await client.delete(`series/${id}`)).status).to.equal(204)
    })

    it('keeps bookings that begin before the requested time, including the current booking', async () => {
      const id = await aSeries()
      const from = new Date(NOW + 30 * HOUR_MS).toISOString()
      expect((await client.delete(`series/${id}?from=${from}`)).status).to.equal(204)
      expect(await spans()).to.deep.equal(['-26 -22', '-2 2', '22 26'])
    })

    it('answers 404 for unknown series', async () => {
      for (const ask of [client.get('series/999999'), client.delete('series/999999')])
        expect((await ask).status).to.equal(404)
    })
  })

  describe('with a scope', () => {
    const ids = async () => (await held()).map(({ id }) => id)
    const spanOf = async () => (await held()).map(({ start }) => start)
    const daily = { repeat: { every: 'day', count: 4 } }

    it('“following” moves a booking and the later ones to the same local time, and changes what else is given', async () => {
      const { created } = (await create(daily)).json.data
      const [, second, third] = created
      // Saturday in winter time. Sunday and Monday are in summer time.
      const change = {
        from_time: '2026-03-28T09:00:00Z',
        to_time: '2026-03-28T18:00:00Z',
        booking_info: 'Visit',
      }
      const { status, json, text } = await client.patch(`bookings/${second.id}?scope=following`, change)
      expect(status, text).to.equal(200)
      expect(json.data).to.include({ id: second.id, from: '2026-03-28T09:00:00.000000Z' })
      expect(await spanOf()).to.deep.equal([
        '2026-03-27T08:00',
        '2026-03-28T09:00',
        '2026-03-29T08:00',
        '2026-03-30T08:00',
      ])
      const one = (await client.get(`bookings/${third.id}`)).json.data
      expect(one).to.include({ to: '2026-03-29T17:00:00.000000Z', booking_info: 'Visit' })
    })

    it('“all” lets bookings move to the former times of others, and a change of details moves none', async () => {
      const { created } = (await create(daily)).json.data
      const change = { from_time: '2026-03-28T08:00:00Z', to_time: '2026-03-28T16:00:00Z' }
      const moved = await client.put(`bookings/${created[0].id}?scope=all`, change)
      expect(moved.status, moved.text).to.equal(200)
      const starts = ['2026-03-28T08:00', '2026-03-29T07:00', '2026-03-30T07:00', '2026-03-31T07:00']
      expect(await spanOf()).to.deep.equal(starts)
      await client.patch(`bookings/${created[0].id}?scope=all`, { guest_name: 'Grace' })
      expect(await world.database('bookings').where({ guest_name: 'Grace' }).pluck('id')).to.have.length(4)
      expect(await spanOf()).to.deep.equal(starts)
    })

    for (const rule of ['one_at_a_time', 'one_desk_a_day']) {
      it(`“all” checks the rule ${rule} with the new times of all bookings, and not with their old times`, async () => {
        const rules = { [rule]: true }
        await world
          .database('locations')
          .where({ id: desk.location_id })
          .update({ rules: JSON.stringify(rules) })
        const { created } = (await create({ repeat: { every: 'day', count: 3 } })).json.data
        const move = (from_time: string, to_time: string) =>
          client.patch(`bookings/${created[0].id}?scope=all`, { from_time, to_time })
        const later = await move('2026-03-28T08:00:00Z', '2026-03-28T16:00:00Z')
        expect(later.status, later.text).to.equal(200)
        expect(await spanOf()).to.deep.equal(['2026-03-28T08:00', '2026-03-29T07:00', '2026-03-30T07:00'])
        const earlier = await move(day.from_time, day.to_time)
        expect(earlier.status, earlier.text).to.equal(200)
        // Another booking of the user, which is at the same time as the last booking of the series after the move.
        const bookable_id = await createBookable(world.database, { location_id: desk.location_id })
        const times = { from: '2026-03-30T08:00:00Z', to: '2026-03-30T09:00:00Z' }
        await createBooking(world.database, { bookable_id, user_id: desk.user_id, ...times })
        const refused = await move('2026-03-28T08:00:00Z', '2026-03-28T16:00:00Z')
        expect(refused.json.code).to.match(/^already_booked/)
        expect(refused.json.detail).to.match(/^This is not possible on 2026-03-30\./)
      })
    }

    it('“all” refuses to move two bookings to the same day under the rule one_desk_a_day', async () => {
      await world
        .database('locations')
        .where({ id: desk.location_id })
        .update({ rules: JSON.stringify({ one_desk_a_day: true }) })
      const { created } = (await create(daily)).json.data
      // Each booking would end on the day on which the next one begins.
      const overnight = { from_time: '2026-03-27T19:00:00Z', to_time: '2026-03-28T03:00:00Z' }
      const refused = await client.patch(`bookings/${created[0].id}?scope=all`, overnight)
      expect(refused.json.code, refused.text).to.equal('already_booked_that_day')
    })

    it('a change that one date does not fit changes none, and the refusal names the date', async () => {
      const { created } = (await create(daily)).json.data
      const times = { from: '2026-03-30T16:00:00Z', to: '2026-03-30T17:00:00Z' }
      await createBooking(world.database, { bookable_id: desk.bookable_id, ...times })
      const before = await held()
      const refused = await client.patch(`bookings/${created[0].id}?scope=all`, {
        to_time: '2026-03-27T18:00:00Z',
      })
      expect(refused.json).to.include({
        status: 409,
        code: 'booking_conflict',
        detail:
          'This is not possible on 2026-03-30. Desk 1 is taken from 18:00 to 19:00 (Europe/Berlin) on 2026-03-30.',
      })
      expect(await held()).to.deep.equal(before)
    })

    it('DELETE deletes a booking and the later ones, or all that are not over', async () => {
      const { created } = (await create(daily)).json.data
      const all = await ids()
      expect((await client.delete(`bookings/${created[2].id}?scope=following`)).status).to.equal(204)
      expect(await ids()).to.deep.equal(all.slice(0, 2))
      const during = '[2026-02-27T08:00:00Z,2026-02-27T09:00:00Z)'
      await world.database('bookings').where({ id: created[0].id }).update({ during })
      expect((await client.delete(`bookings/${created[1].id}?scope=all`)).status).to.equal(204)
      expect(await ids()).to.deep.equal(all.slice(0, 1))
    })

    it('has no effect on a booking without a series, and checks If-Match', async () => {
      const alone = (await client.post('bookings', { ...desk, ...day })).json.data[0].id
      const etag = { 'If-Match': '"other"' }
      expect((await client.delete(`bookings/${alone}?scope=all`, etag)).status).to.equal(412)
      const changed = await client.patch(`bookings/${alone}?scope=following`, { booking_info: 'x' })
      expect(changed.status).to.equal(200)
      expect((await client.delete(`bookings/${alone}?scope=all`)).status).to.equal(204)
      const { created } = (await create(daily)).json.data
      expect((await client.delete(`bookings/${created[1].id}?scope=all`, etag)).status).to.equal(412)
      expect(await ids()).to.have.length(4)
    })
  })
})
