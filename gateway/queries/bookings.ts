// Listings of bookings. Each takes its parent as $1 (where it has one), then from, to and the base address. The rooms
// of events are claims too, but no bookings.
import { bookableInBuildingJson, bookableJson, locatedBookableJson } from '../../shared/shapes/bookables.ts'
import { listedBookingJson } from '../../shared/shapes/bookings.ts'
import { userJson } from '../../shared/shapes/users.ts'
import { prepareListing, type Statements } from './listing.ts'

type Definition = {
  name: string
  shown: { bookable?: string; user?: string }
  rows: string
  condition: string
  parent: string
}

const user = userJson('users')
const inLocation = locatedBookableJson('bookables', 'locations')
const inBuilding = bookableInBuildingJson('bookables', 'locations', 'buildings')

const WITH_USERS = 'JOIN users ON users.id = bookings.user_id'
const WITH_LOCATIONS = 'JOIN locations ON locations.id = bookables.location_id'
const WITH_BUILDINGS = `${WITH_LOCATIONS} JOIN buildings ON buildings.id = locations.building_id`

function bookingsOf({ name, shown, rows, condition, parent }: Definition): Statements {
  return prepareListing({
    name: `bookings-of-${name}`,
    item: listedBookingJson('$4', shown),
    rows: `bookings JOIN bookables ON bookables.id = bookings.bookable_id ${rows}
      WHERE ${condition} AND bookings.user_id IS NOT NULL AND bookings.during && tstzrange($2, $3)`,
    order: [
      { by: 'lower(bookings.during)', type: 'timestamptz' },
      { by: 'bookings.id', type: 'bigint' },
    ],
    parent: { exists: parent, values: 1 },
    values: 4,
  })
}

export const bookingsOfUser = bookingsOf({
  name: 'user',
  shown: { bookable: inBuilding },
  rows: WITH_BUILDINGS,
  condition: 'bookings.user_id = $1',
  parent: 'EXISTS (SELECT FROM users WHERE id = $1 AND deactivated_at IS NULL)',
})

const idOfEmail = '(SELECT id FROM users WHERE lower(email) = lower($1) AND deactivated_at IS NULL)'

export const bookingsOfEmail = bookingsOf({
  name: 'email',
  shown: { bookable: inBuilding },
  rows: WITH_BUILDINGS,
  condition: `bookings.user_id = ${idOfEmail}`,
  parent: `EXISTS ${idOfEmail}`,
})

export const bookingsOfBuilding = bookingsOf({
  name: 'building',
  shown: { bookable: inLocation, user },
  rows: `${WITH_LOCATIONS} ${WITH_USERS}`,
  condition: 'locations.building_id = $1',
  parent: 'EXISTS (SELECT FROM buildings WHERE id = $1)',
})

export const bookingsOfLocation = bookingsOf({
  name: 'location',
  shown: { bookable: bookableJson('bookables'), user },
  rows: WITH_USERS,
  condition: 'bookables.location_id = $1',
  parent: 'EXISTS (SELECT FROM locations WHERE id = $1)',
})

export const bookingsOfBookable = bookingsOf({
  name: 'bookable',
  shown: { user },
  rows: WITH_USERS,
  condition: 'bookings.bookable_id = $1',
  parent: 'EXISTS (SELECT FROM bookables WHERE id = $1)',
})

export const allBookings = prepareListing({
  name: 'bookings',
  item: listedBookingJson('$3', { bookable: inBuilding, user }),
  rows: `bookings JOIN bookables ON bookables.id = bookings.bookable_id ${WITH_BUILDINGS} ${WITH_USERS}
    WHERE bookings.user_id IS NOT NULL AND bookings.during && tstzrange($1, $2)`,
  order: [
    { by: 'lower(bookings.during)', type: 'timestamptz' },
    { by: 'bookings.id', type: 'bigint' },
  ],
  values: 3,
})
