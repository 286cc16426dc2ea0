// Tests ETags for clients that poll: an unchanged occupancy or listing of up to 1 MiB gets 304.
import { expect } from 'chai'
import {
  createBookable,
  createBooking,
  createEvent,
  createGroup,
  createManyBookings,
} from '../../../support/factories.ts'
import { createOffice, type Office } from '../../../support/office.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const NOW = '2026-03-03T12:00:00Z'
const CURRENT_SPAN = { from: '2026-03-03T11:00:00Z', to: '2026-03-03T13:00:00Z' }
const WEEK_QUERY = 'from=2026-03-02T00:00:00Z&to=2026-03-09T00:00:00Z'
const MIB = 1024 * 1024

describe('ETags of listings', () => {
  const world = useWorld({ workers: [], now: () => Date.parse(NOW) })
  const client = useClient(world, 'read')
  let office: Office
  before(async () => {
    office = await createOffice(world.database)
    await world.database('buildings').where({ id: office.building.id }).update({ timezone: 'UTC' })
  })

  const book = () =>
    createBooking(world.database, {
      bookable_id: office.home.id,
      user_id: office.user.id,
      exclusive: false,
      ...CURRENT_SPAN,
    })
  const meet = async () => {
    const event_id = await createEvent(world.database, CURRENT_SPAN)
    const bookable_id = await createBookable(world.database, { location_id: office.location.id })
    return createBooking(world.database, { event_id, bookable_id, ...CURRENT_SPAN })
  }

  /** Returns each listing, with a write that changes it. */
  const listings = (): Array<[string, () => Promise<unknown>]> => [
    [`users/${office.user.id}/bookings?${WEEK_QUERY}`, book],
    [`users/by-email/${office.user.email}/bookings?${WEEK_QUERY}`, book],
    ['groups', () => createGroup(world.database)],
    ['buildings', () => createOffice(world.database)],
    [`buildings/${office.building.id}/bookings?${WEEK_QUERY}`, book],
    [`locations/${office.location.id}/bookings?${WEEK_QUERY}`, book],
    [`locations/${office.location.id}/bookables`, meet],
    [`locations/${office.location.id}/bookables/occupancy?details=1`, meet],
    [`bookables/${office.home.id}/bookings?${WEEK_QUERY}`, book],
    [`bookings?${WEEK_QUERY}`, book],
    [`events?${WEEK_QUERY}`, meet],
    [`events/today?building_id=${office.building.id}`, meet],
  ]

  it('let an unchanged listing answer 304 without a body, until something in it changes', async () => {
    for (const [path, change] of listings()) {
      const first = await client.get(path)
      const etag = first.headers.get('ETag') ?? ''
      expect(etag, path).to.match(/^"[\w-]+"$/)
      const same = await client.get(path, { 'If-None-Match': etag })
      expect([same.status, same.text, same.headers.get('ETag')], path).to.deep.equal([304, '', etag])
      expect(same.headers.get('Content-Type')).to.equal(null)
      await change()
      const changed = await client.get(path, { 'If-None-Match': etag })
      expect(changed.status, path).to.equal(200)
      expect(changed.headers.get('ETag')).not.to.equal(etag)
      expect(changed.text).not.to.equal(first.text)
    }
  })

  it('are compared as RFC 9110 requires', async () => {
    const etag = (await client.get('groups')).headers.get('ETag') ?? ''
    for (const value of [`W/${etag}`, `"other", ${etag}`, '*'])
      expect((await client.get('groups', { 'If-None-Match': value })).status, value).to.equal(304)
    for (const value of ['"other"', etag.slice(1, -1), ''])
      expect((await client.get('groups', { 'If-None-Match': value })).status, value).to.equal(200)
  })

  it('are also set on pages, whose Link header stays the same', async () => {
    await book()
    await book()
    const path = `bookings?${WEEK_QUERY}&limit=1`
    const { headers } = await client.get(path)
    const same = await client.get(path, { 'If-None-Match': headers.get('ETag') ?? '' })
    expect(same.status).to.equal(304)
    expect(same.headers.get('Link')).to.equal(headers.get('Link'))
  })

  it('are the same for HEAD and GET', async () => {
    const { headers } = await client.get('groups')
    const head = await client.ask('groups', { method: 'HEAD' })
    expect(head.headers.get('ETag')).to.equal(headers.get('ETag'))
  })

  it('come with headers that let only the client cache, and make it revalidate', async () => {
    expect((await client.get('groups')).headers.get('Cache-Control')).to.equal('private, no-cache')
  })

  it('reveal nothing to clients without permission to read', async () => {
    const etag = (await client.get('groups')).headers.get('ETag') ?? ''
    const other = await world.client('booking-write')
    expect((await other.get('groups', { 'If-None-Match': etag })).status).to.equal(403)
  })

  it('are set on listings of many items, up to 1 MiB', async () => {
    const { location } = await createOffice(world.database)
    await world.database.raw(
      `INSERT INTO bookables (location_id, name, type) SELECT ?, 'Desk ' || number, 0 FROM generate_series(1, 6000) AS number`,
      [location.id],
    )
    const path = `locations/${location.id}/bookables`
    const { text, headers } = await client.get(path, { 'Accept-Encoding': 'identity' })
    expect(JSON.parse(text).data).to.have.length(6004)
    expect(text.length).to.be.within(MIB / 4, MIB)
    expect((await client.get(path, { 'If-None-Match': headers.get('ETag') ?? '' })).status).to.equal(304)
    expect(headers.get('Content-Length')).to.equal(String(text.length))
  })

  for (const [title, number] of [
    ['finished', 2_000],
    ['streamed', 4_000],
  ] as const) {
    it(`are absent from a ${title} response of more than 1 MiB`, async () => {
      const { home, user } = await createOffice(world.database)
      await createManyBookings(world.database, { bookable_id: home.id, user_id: user.id, number })
      const answer = await client.get(`bookables/${home.id}/bookings?${WEEK_QUERY}`, { 'If-None-Match': '*' })
      expect(answer.text.length).to.be.greaterThan(MIB)
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('ETag')).to.equal(null)
      expect(answer.json.data).to.have.length(number)
    })
  }
})
