// Listings of bookings; inRange says what each takes as $1 … The rooms of events are claims too, but no bookings.
import {
  bookableInBuildingJson,
  bookableJson,
  locatedBookableJson,
} from '../../../shared/shapes/bookables.ts'
import { listedBookingJson } from '../../../shared/shapes/bookings.ts'
import { claimsOf } from '../../../shared/shapes/claims.ts'
import { userJson } from '../../../shared/shapes/users.ts'
import { type Listing, type ListingDefinition, type PageClauses, prepareListing } from '../../http/listing.ts'

type RangeCall = { query: { from: string; to: string }; baseUrl: string }

/** A listing of bookings with its values: the parent (where it has one), from, to and the base address. */
export const inRange = (listing: Listing, { query, baseUrl }: RangeCall, ...parent: unknown[]) => ({
  listing,
  values: [...parent, query.from, query.to, baseUrl],
})

type Definition = {
  name: string
  shown: { bookable?: string; user?: string }
  /** SQL: the bookings, with whatever their conditions ask about. */
  rows: ListingDefinition['rows']
  parent?: string
}

const user = userJson('users')
const inLocation = locatedBookableJson('bookables', 'locations')
const inBuilding = bookableInBuildingJson('bookables', 'locations', 'buildings')

const WITH_USERS = 'JOIN users ON users.id = bookings.user_id'
const WITH_LOCATIONS = 'JOIN locations ON locations.id = bookables.location_id'
const WITH_BUILDINGS = `${WITH_LOCATIONS} JOIN buildings ON buildings.id = locations.building_id`

const bookingsOf = ({ name, shown, rows, parent }: Definition) =>
  prepareListing({
    name: `bookings-of-${name}`,
    item: listedBookingJson(parent ? '$4' : '$3', shown),
    rows,
    order: [
      { by: 'lower(bookings.during)', type: 'timestamptz' },
      { by: 'bookings.id', type: 'bigint' },
    ],
    ...(parent ? { parent: { exists: parent, values: 1 }, values: 4 } : { values: 3 }),
  })

/** The bookings of the bookables that the condition names. */
const bookingsAt = (joins: string, condition: string) =>
  `bookables ${joins}
   CROSS JOIN LATERAL (${claimsOf(`bookings.bookable_id = bookables.id AND bookings.during && tstzrange($2, $3)`)}) AS bookings
   ${WITH_USERS}
   WHERE ${condition}`

/** The bookings of one user: so few that the time is a filter. */
const bookingsBy = (userId: string) =>
  `bookings JOIN bookables ON bookables.id = bookings.bookable_id ${WITH_BUILDINGS}
   WHERE bookings.user_id = ${userId} AND bookings.during && tstzrange($2, $3)`

export const bookingsOfUser = bookingsOf({
  name: 'user',
  shown: { bookable: inBuilding },
  rows: bookingsBy('$1'),
  parent: 'EXISTS (SELECT FROM users WHERE id = $1 AND deactivated_at IS NULL)',
})

const idOfEmail = '(SELECT id FROM users WHERE lower(email) = lower($1) AND deactivated_at IS NULL)'

export const bookingsOfEmail = bookingsOf({
  name: 'email',
  shown: { bookable: inBuilding },
  rows: bookingsBy(idOfEmail),
  parent: `EXISTS ${idOfEmail}`,
})

export const bookingsOfBuilding = bookingsOf({
  name: 'building',
  shown: { bookable: inLocation, user },
  rows: bookingsAt(WITH_LOCATIONS, 'locations.building_id = $1'),
  parent: 'EXISTS (SELECT FROM buildings WHERE id = $1)',
})

export const bookingsOfLocation = bookingsOf({
  name: 'location',
  shown: { bookable: bookableJson('bookables'), user },
  rows: bookingsAt('', 'bookables.location_id = $1'),
  parent: 'EXISTS (SELECT FROM locations WHERE id = $1)',
})

export const bookingsOfBookable = bookingsOf({
  name: 'bookable',
  shown: { user },
  rows: bookingsAt('', 'bookables.id = $1'),
  parent: 'EXISTS (SELECT FROM bookables WHERE id = $1 AND deleted_at IS NULL)',
})

// All bookings in the order of their start, so that a page is there before the rest of the week is looked for: those
// that run when the range begins, then those that begin in it.
const running = claimsOf('bookings.during @> $1::timestamptz AND lower(bookings.during) < $1')

const beginning = ({ after, order, limit }: PageClauses) => `
  SELECT * FROM bookings
  WHERE bookings.user_id IS NOT NULL AND lower(bookings.during) >= $1 AND lower(bookings.during) < $2 ${after}
  ${order} ${limit}`

export const allBookings = bookingsOf({
  name: 'all',
  shown: { bookable: inBuilding, user },
  rows: (page) => `(${running} UNION ALL (${beginning(page)})) AS bookings
    JOIN bookables ON bookables.id = bookings.bookable_id ${WITH_BUILDINGS} ${WITH_USERS}
    WHERE true ${page.after}`,
})
