// Series of bookings over HTTP.
import { expect } from 'chai'
import { createBooking, createBuilding, createDesk, createLocation } from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const HOUR_MS = 3_600_000
// A Monday in Berlin's winter, before everything that is booked.
const NOW = Date.parse('2026-03-02T12:00:00Z')

describe('series of bookings', () => {
  const world = useWorld({ now: () => NOW, environment: { WRITE_WAIT_MS: '60000' } })
  const client = useClient(world)
  let desk: Awaited<ReturnType<typeof createDesk>>
  // From 9 to 17 there, on a Friday before the clocks are put forward.
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

  it('repeat at the same local time of the building, and each names its series', async () => {
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

  it('are all refused if one is, with its position in the series', async () => {
    const times = { from: '2026-03-30T09:00:00Z', to: '2026-03-30T10:00:00Z' }
    await createBooking(world.database, { bookable_id: desk.bookable_id, ...times })
    const refused = await create({ repeat: weekly })
    expect(refused.status).to.equal(409)
    expect(refused.json).to.include({ code: 'booking_conflict', index: 1 })
    expect(await held()).to.have.length(1)
    expect(await world.database('series').where({ timezone: 'none' })).to.deep.equal([])
  })

  it('omit taken days if allowed', async () => {
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

  it('check their bookings against each other', async () => {
    const long = { to_time: '2026-03-28T10:00:00Z', repeat: { every: 'day', count: 3 } }
    expect((await create(long)).json).to.include({ code: 'booking_conflict', index: 1 })
    const { json } = await create({ ...long, on_conflict: 'skip' })
    expect(starts(json.data.created)).to.deep.equal(['2026-03-27T08:00', '2026-03-29T07:00'])
  })

  it('are created once for one idempotency key', async () => {
    const key = { 'Idempotency-Key': 'series' }
    const first = await create({ repeat: weekly }, key)
    expect((await create({ repeat: weekly }, key)).text).to.equal(first.text)
    expect(await held()).to.have.length(3)
  })

  it('are refused with the errors of their rule', async () => {
    const errorsOf = async (repeat: unknown) => (await create({ repeat })).json.errors
    expect(await errorsOf(undefined)).to.deep.equal({ repeat: ['repeat is required.'] })
    expect(await errorsOf({ every: 'month', interval: 9, on: [8], count: 0 })).to.have.all.keys(
      'repeat.every',
      'repeat.interval',
      'repeat.on.0',
      'repeat.count',
    )
    const ends = ['repeat.until or count is required, and not both.']
    expect(await errorsOf({ every: 'day' })).to.deep.equal({ 'repeat.until': ends })
    expect(await errorsOf({ every: 'day', count: 2, until: '2026-04-01' })).to.deep.equal({
      'repeat.until': ends,
    })
    expect(await errorsOf({ every: 'day', until: '2026-02-30' })).to.deep.equal({
      'repeat.until': ['repeat.until must be a date such as 2026-11-20.'],
    })
    expect(await errorsOf({ every: 'day', on: [1], count: 2 })).to.deep.equal({
      'repeat.on': ['repeat.on goes with every week only.'],
    })
    expect(await errorsOf({ every: 'day', until: '2099-01-01' })).to.deep.equal({
      'repeat.until': ['A series has at most 366 bookings.'],
    })
    expect(await held()).to.deep.equal([])
  })

  describe('DELETE', () => {
    // Three days around “now”: yesterday, today and tomorrow, of which today’s runs.
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

    it('deletes future bookings, ends the current one, and keeps past ones', async () => {
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

    it('keeps bookings that begin before the named time, including the current one', async () => {
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
})
