// The bare rival: node:http and pg with our own statements; a booking is one INSERT. A minimum of work.
import pg from 'pg'
import { detailedOccupancyOfLocation } from '../../gateway/api/bookables/bookables-routes.ts'
import { bookingsOfLocation } from '../../gateway/api/bookings/bookings-queries.ts'
import type { Listing } from '../../gateway/http/listing.ts'
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

serve({
  async user(id) {
    const { rows } = await pool.query({ ...USER, values: [id] })
    return rows[0].body
  },
  week: (location, from, to) => list(bookingsOfLocation, [location, from, to, BASE_URL]),
  occupancy: (location) => list(detailedOccupancyOfLocation, [location, new Date().toISOString()]),
  async booking({ bookable_id, user_id, from_time, to_time }: BookingBody) {
    const { rows } = await pool.query({ ...BOOKING, values: [bookable_id, user_id, from_time, to_time] })
    return `{"data":[{"id":${rows[0].id}}]}`
  },
})

async function list({ whole }: Listing, values: unknown[]): Promise<string> {
  const { rows } = await pool.query({ ...whole, values })
  return `{"data":[${rows[0].items}]}`
}
