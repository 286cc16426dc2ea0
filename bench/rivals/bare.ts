// The bare rival: node:http and pg with our own statements; a booking is one INSERT. It does the least possible work.
import pg from 'pg'
import { detailedOccupancyOfLocation } from '../../gateway/api/rest/bookables/bookables-routes.ts'
import {
  bookingsOfBuilding,
  bookingsOfLocation,
  bookingsOfUser,
} from '../../gateway/api/rest/bookings/bookings-queries.ts'
import type { Listing } from '../../gateway/server/http/listing.ts'
import { dataText } from '../../shared/schemas/json.ts'
import { userJson } from '../../shared/users/users.ts'
import { BASE_URL, type BookingBody, CONNECTIONS_MAX, databaseUrl, serve } from './serve.ts'

const pool = new pg.Pool({ connectionString: databaseUrl(), max: CONNECTIONS_MAX })

const USER = {
  name: 'user',
  text: `SELECT ${dataText(userJson)} AS body
    FROM users WHERE users.id = $1 AND users.deactivated_at IS NULL`,
}

const BOOKING = {
  name: 'booking',
  text: `INSERT INTO bookings (bookable_id, user_id, during, exclusive)
    VALUES ($1, $2, tstzrange($3, $4), true)
    ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
    RETURNING id`,
}

const BOOKINGS_OF = {
  locations: bookingsOfLocation.whole,
  // Too many for `whole`.
  buildings: {
    name: 'building',
    text: `SELECT string_agg(item, ',') AS items FROM (${bookingsOfBuilding.all}) AS ordered`,
  },
  users: bookingsOfUser.whole,
}

serve({
  async user(id) {
    const { rows } = await pool.query({ ...USER, values: [id] })
    return rows[0].body
  },
  bookings: (kind, id, from, to) => list(BOOKINGS_OF[kind], [id, from, to, BASE_URL]),
  occupancy: (location) => list(detailedOccupancyOfLocation.whole, [location, new Date().toISOString()]),
  async booking({ bookable_id, user_id, from_time, to_time }: BookingBody) {
    const { rows } = await pool.query({ ...BOOKING, values: [bookable_id, user_id, from_time, to_time] })
    return `{"data":[{"id":${rows[0].id}}]}`
  },
})

async function list(statement: Listing['whole'], values: unknown[]): Promise<string> {
  const { rows } = await pool.query({ ...statement, values })
  return `{"data":[${rows[0].items}]}`
}
