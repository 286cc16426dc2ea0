// The bare rival: node:http and pg with our own statements, where a booking is one INSERT. This rival does as
// little work as possible.
import pg from 'pg'
import { detailedOccupancyOfLocation } from '../../gateway/api/rest/bookables/bookables-routes.ts'
import {
  bookingsOfBuilding,
  bookingsOfLocation,
  bookingsOfUser,
} from '../../gateway/api/rest/bookings/bookings-queries.ts'
import type { Listing } from '../../gateway/server/http/listing.ts'
import { dataBodyText } from '../../shared/schemas/json.ts'
import { userJson } from '../../shared/users/users.ts'
import { BASE_URL, type BookingBody, CONNECTIONS_MAX, getDatabaseUrl, serveRival } from './serve.ts'

const pool = new pg.Pool({ connectionString: getDatabaseUrl(), max: CONNECTIONS_MAX })

const USER_STATEMENT = {
  name: 'user',
  text: `SELECT ${dataBodyText(userJson)} AS body
    FROM users WHERE users.id = $1 AND users.deactivated_at IS NULL`,
}

const BOOKING_STATEMENT = {
  name: 'booking',
  text: `INSERT INTO bookings (bookable_id, user_id, during, exclusive)
    VALUES ($1, $2, tstzrange($3, $4), true)
    ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
    RETURNING id`,
}

const BOOKINGS_STATEMENTS = {
  locations: bookingsOfLocation.whole,
  // Lists the bookings of a building row by row, because there are too many of them for the statement `whole`.
  buildings: {
    name: 'building',
    text: `SELECT string_agg(item, ',') AS items FROM (${bookingsOfBuilding.all}) AS ordered`,
  },
  users: bookingsOfUser.whole,
}

serveRival({
  async user(id) {
    const { rows } = await pool.query({ ...USER_STATEMENT, values: [id] })
    return rows[0].body
  },
  bookings: (kind, id, from, to) => queryListing(BOOKINGS_STATEMENTS[kind], [id, from, to, BASE_URL]),
  occupancy: (location) =>
    queryListing(detailedOccupancyOfLocation.whole, [location, new Date().toISOString()]),
  async booking({ bookable_id, user_id, from_time, to_time }: BookingBody) {
    const { rows } = await pool.query({
      ...BOOKING_STATEMENT,
      values: [bookable_id, user_id, from_time, to_time],
    })
    return `{"data":[{"id":${rows[0].id}}]}`
  },
})

async function queryListing(statement: Listing['whole'], values: unknown[]): Promise<string> {
  const { rows } = await pool.query({ ...statement, values })
  return `{"data":[${rows[0].items}]}`
}
