// Checks the limits of time ranges (part 8) and the format of bookings in each listing (part 4).
import { type Check, DISTANT_SLOT_HOURS, hours, range, type TestData, toNumber } from '../data.ts'
import { bookings, listedEvent } from '../resources.ts'
import type { Session } from '../session.ts'
import { at, data, items, listOf, type Shape } from '../shapes.ts'

type Listing = { name: string; path(found: TestData): string; shape(url: string): Shape; unknown?: string }

const LISTINGS: Listing[] = [
  {
    name: 'users/{user_id}/bookings',
    path: ({ user }) => `users/${user.id}/bookings`,
    shape: (url) => bookings(url).ofUser,
    unknown: 'users/999999999/bookings',
  },
  {
    name: 'users/by-email/{user_email}/bookings',
    path: ({ user }) => `users/by-email/${encodeURIComponent(user.email)}/bookings`,
    shape: (url) => bookings(url).ofUser,
    unknown: 'users/by-email/nobody@conformance.example/bookings',
  },
  {
    name: 'buildings/{building_id}/bookings',
    path: ({ building_id }) => `buildings/${building_id}/bookings`,
    shape: (url) => bookings(url).inBuilding,
    unknown: 'buildings/999999999/bookings',
  },
  {
    name: 'locations/{location_id}/bookings',
    path: ({ location_id }) => `locations/${location_id}/bookings`,
    shape: (url) => bookings(url).inLocation,
    unknown: 'locations/999999999/bookings',
  },
  {
    name: 'bookables/{bookable_id}/bookings',
    path: ({ desk }) => `bookables/${desk.id}/bookings`,
    shape: (url) => bookings(url).ofBookable,
    unknown: 'bookables/999999999/bookings',
  },
  { name: 'bookings', path: () => 'bookings', shape: (url) => bookings(url).all },
]
const RANGES = [...LISTINGS, { name: 'events', path: () => 'events', shape: () => listedEvent }]

async function bookDesk(
  session: Session,
  { user, desk, location_id }: TestData,
  from: number,
): Promise<number> {
  const times = { from_time: hours(from), to_time: hours(from + 1) }
  const body = { bookable_id: desk.id, location_id, user_id: user.id, ...times }
  const id = toNumber(at(session.answered(await session.ask('POST bookings', body), 200), 'data', 0, 'id'))
  session.deleteLater(`the booking ${id}`, () => session.ask(`DELETE bookings/${id}`))
  return id
}

const shapes: Check[] = LISTINGS.map(({ name, path, shape }, index) => ({
  name: `listing.shape ${name}`,
  rule: `4 Booking listings: GET api/v1/${name}`,
  async run(session, found) {
    const from = DISTANT_SLOT_HOURS + index * 2
    const id = await bookDesk(session, found, from)
    const listed = await session.read(
      `${path(found)}?${range(from - 1, from + 2)}`,
      data(listOf(shape(session.target.url))),
    )
    session.must(
      items(listed).some((each) => at(each, 'id') === id),
      `the booking ${id} in the listing`,
      listed,
    )
    session.answered(await session.ask(`DELETE bookings/${id}`), 204)
  },
}))

const unknown: Check[] = LISTINGS.filter((listing) => listing.unknown).map((listing) => ({
  name: `listing.unknown ${listing.name}`,
  rule: '7.4 An unknown id is a failed call',
  async run(session) {
    session.refused(await session.ask(`GET ${listing.unknown}?${range(0, 1)}`), 'there is no such id')
  },
}))

const WEEK_HOURS = 24 * 7
const YEAR_HOURS = 24 * 366 + 1

const limits: Check[] = RANGES.flatMap(({ name, path }) => {
  const refuses = (what: string, rule: string, query: () => string): Check => ({
    name: `range.${what} ${name}`,
    rule,
    async run(session, found) {
      session.refused(await session.ask(`GET ${path(found)}?${query()}`), rule)
    },
  })
  return [
    refuses('required', '4 Range endpoints take from and to, both required', () => `from=${hours(0)}`),
    refuses('valid', '8 Both are valid ISO 8601 date-times', () => `from=yesterday&to=${hours(1)}`),
    refuses('order', '8 to is after from', () => range(2, 1)),
    refuses('week', '8 The difference between to and from is at most 1 week', () => range(0, WEEK_HOURS + 1)),
    refuses('year', '8 to is within one year from the current date', () => range(YEAR_HOURS - 2, YEAR_HOURS)),
    {
      name: `range.whole-week ${name}`,
      rule: '8 The difference between to and from is at most 1 week',
      async run(session, found) {
        session.answered(await session.ask(`GET ${path(found)}?${range(0, WEEK_HOURS)}`), 200)
      },
    },
  ]
})

export const listingChecks = [...shapes, ...unknown, ...limits]
