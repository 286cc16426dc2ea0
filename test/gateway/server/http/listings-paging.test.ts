// Tests the pages of every listing: together they equal the whole listing, even while rows are inserted, and
// a cursor works for one listing only.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  createBookable,
  createBooking,
  createEvent,
  createGroup,
  createLocation,
} from '../../../support/factories.ts'
import { findNextLink, followPages } from '../../../support/http/links.ts'
import { createOffice, type Office } from '../../../support/office.ts'
import { useClient, useWorld } from '../../../support/world.ts'

type Item = { id: number | string }

const NOW = '2026-03-03T12:00:00Z'
const WEEK_QUERY = 'from=2026-03-02T00:00:00Z&to=2026-03-09T00:00:00+00:00'
const BOOKING_COUNT = 12

describe('pages of a listing', () => {
  const world = useWorld({
    workers: [],
    now: () => Date.parse(NOW),
    environment: { RATE_LIMIT_PER_MINUTE: '1000000' },
  })
  const client = useClient(world, 'read')
  let office: Office
  before(async () => {
    office = await createOffice(world.database)
    for (let number = 0; number < BOOKING_COUNT; number++) await bookHome(number % 5)
    for (let number = 0; number < 5; number++) {
      await createGroup(world.database)
      await createLocation(world.database, { building_id: (await createOffice(world.database)).building.id })
      await holdMeeting(number % 3)
    }
  })

  // Several bookings begin at the same time, so that their ids decide the order.
  const bookHome = (hour: number) =>
    createBooking(world.database, {
      bookable_id: office.home.id,
      user_id: office.user.id,
      exclusive: false,
      from: `2026-03-03T0${hour}:00:00.00000${hour}Z`,
      to: '2026-03-04T00:00:00Z',
    })

  async function holdMeeting(hour: number) {
    const during = { from: `2026-03-03T1${hour}:00:00Z`, to: '2026-03-03T20:00:00Z' }
    const event_id = await createEvent(world.database, during)
    const bookable_id = await createBookable(world.database, { location_id: office.location.id, type: 2 })
    await createBooking(world.database, { ...during, event_id, bookable_id })
  }

  const paths = () => [
    `users/${office.user.id}/bookings?${WEEK_QUERY}`,
    `users/by-email/${office.user.email}/bookings?${WEEK_QUERY}`,
    'groups',
    'buildings',
    `buildings/${office.building.id}/bookings?${WEEK_QUERY}`,
    `locations/${office.location.id}/bookings?${WEEK_QUERY}`,
    `locations/${office.location.id}/bookables`,
    `locations/${office.location.id}/bookables/occupancy?details=true`,
    `bookables/${office.home.id}/bookings?${WEEK_QUERY}`,
    `bookings?${WEEK_QUERY}`,
    `events?${WEEK_QUERY}&location_id=${office.location.id}`,
    `events/today?building_id=${office.building.id}`,
  ]
  const limited = (path: string, limit: number | string) =>
    `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`
  const idsOf = (items: Item[]) => items.map(({ id }) => id)

  it('together equal the unpaginated listing, for every listing and limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(paths().length - 1), fc.integer({ min: 1, max: 15 }), async (which, limit) => {
        const path = paths()[which] ?? ''
        const whole = (await client.get(path)).json.data as Item[]
        expect(whole.length, path).to.be.greaterThan(4)
        const { items, sizes } = await followPages<Item>(client, limited(path, limit))
        expect(items, path).to.deep.equal(whole)
        // Expects full pages, and no empty page at the end.
        expect(sizes).to.deep.equal(
          Array.from({ length: Math.ceil(whole.length / limit) }, (_, index) =>
            Math.min(limit, whole.length - index * limit),
          ),
        )
      }),
      { numRuns: 30 },
    )
  })

  it('contain every existing item once and in order while other items are inserted', async () => {
    const path = `bookings?${WEEK_QUERY}`
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 8 }),
        async (limit, hours) => {
          const old = idsOf((await client.get(path)).json.data)
          const added: number[] = []
          const { items } = await followPages<Item>(client, limited(path, limit), async () => {
            const hour = hours[added.length]
            if (hour !== undefined) added.push(await bookHome(hour))
          })
          const seen = idsOf(items)
          expect(seen.filter((id) => old.includes(id as number))).to.deep.equal(old)
          expect(new Set(seen).size, 'nothing twice').to.equal(seen.length)
          await world.database('bookings').whereIn('id', added).delete()
        },
      ),
      { numRuns: 20 },
    )
  })

  it('continue after the last item, even if that item has been deleted', async () => {
    const doomed = await bookHome(0)
    const path = `bookables/${office.home.id}/bookings?${WEEK_QUERY}`
    const whole = idsOf((await client.get(path)).json.data)
    const first = await client.get(limited(path, whole.indexOf(doomed) + 1))
    await world.database('bookings').where({ id: doomed }).delete()
    const next = await client.get(findNextLink(first.headers)?.replace(world.url, '') ?? '')
    expect(idsOf(next.json.data)[0]).to.equal(whole[whole.indexOf(doomed) + 1])
  })

  it('have a next link only if there are more items', async () => {
    const path = `bookables/${office.home.id}/bookings?${WEEK_QUERY}`
    expect(findNextLink((await client.get(limited(path, BOOKING_COUNT))).headers)).to.equal(undefined)
    expect(findNextLink((await client.get(limited(path, BOOKING_COUNT - 1))).headers)).to.be.a('string')
    expect(findNextLink((await client.get(path)).headers)).to.equal(undefined)
  })

  it('keep their filters in the next link, and allow another limit for the next page', async () => {
    const path = `bookings?${WEEK_QUERY}`
    const link = findNextLink((await client.get(limited(path, 5))).headers) ?? ''
    expect(new URL(link).origin).to.equal(world.url)
    expect(new URL(link).searchParams.get('limit')).to.equal('5')
    const rest = await client.get(link.replace(world.url, '').replace('limit=5', 'limit=1000'))
    const whole = idsOf((await client.get(path)).json.data)
    expect(idsOf(rest.json.data)).to.deep.equal(whole.slice(5))
  })

  it('accept only limits from 1 to 1000', async () => {
    for (const path of paths()) {
      for (const limit of ['0', '1001', '-1', '1.5', 'all', '']) {
        const answer = await client.get(limited(path, limit))
        expect(answer.status, limited(path, limit)).to.equal(422)
        expect(answer.json.errors).to.deep.equal({ limit: ['limit must be a whole number from 1 to 1000.'] })
      }
      expect((await client.get(limited(path, 1000))).status).to.equal(200)
    }
  })

  it('refuse a cursor that is forged or belongs to another listing or other filters', async () => {
    const cursorOf = async (path: string) =>
      new URL(findNextLink((await client.get(limited(path, 1))).headers) ?? '').searchParams.get('cursor') ??
      ''
    const sentences: Record<string, string> = {
      [await cursorOf(`buildings/${office.building.id}/bookings?${WEEK_QUERY}`)]:
        'cursor belongs to a different listing, or to different filters.',
      [await cursorOf('bookings?from=2026-03-02T00:00:00Z&to=2026-03-08T00:00:00Z')]:
        'cursor belongs to a different listing, or to different filters.',
      [await cursorOf('groups')]: 'cursor must come from a Link header.',
      abc: 'cursor must come from a Link header.',
      '': 'cursor must come from a Link header.',
      [Buffer.from('["x","2026-02-30T00:00:00.000000Z","1"]').toString('base64url')]:
        'cursor must come from a Link header.',
      [Buffer.from('["x","2026-02-03T00:00:00.000000Z","1e9"]').toString('base64url')]:
        'cursor must come from a Link header.',
      [Buffer.from('{"length":3}').toString('base64url')]: 'cursor must come from a Link header.',
    }
    for (const [cursor, sentence] of Object.entries(sentences)) {
      const answer = await client.get(`bookings?${WEEK_QUERY}&limit=2&cursor=${cursor}`)
      expect(answer.status, cursor).to.equal(422)
      expect(answer.json.errors).to.deep.equal({ cursor: [sentence] })
    }
  })

  it('refuse a cursor without a limit, instead of returning the whole rest of the listing', async () => {
    for (const path of paths()) {
      const { headers } = await client.get(limited(path, 1))
      const next = new URL(findNextLink(headers) ?? `${world.url}/api/v1/${path}&cursor=abc`)
      next.searchParams.delete('limit')
      const answer = await client.get(next.href.replace(world.url, ''))
      expect(answer.status, next.href).to.equal(422)
      expect(answer.json.errors).to.deep.equal({
        cursor: ['cursor needs a limit: without one the whole listing would be returned.'],
      })
    }
  })

  it('answer 404 for unknown resources', async () => {
    for (const path of [
      `locations/999999/bookings?${WEEK_QUERY}`,
      'locations/999999/bookables',
      `events?${WEEK_QUERY}&bookable_id=999999`,
    ])
      expect((await client.get(limited(path, 2))).status, path).to.equal(404)
  })
})
