// The knex rival, written the way such services usually are: Koa and knex, with rows mapped in JavaScript.
import { Router } from '@koa/router'
import knex from 'knex'
import Koa from 'koa'
import { claimsSql } from '../../shared/affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { BASE_URL, CONNECTIONS_MAX, getDatabaseUrl, listenAsRival } from './serve.ts'

type UserRow = { id: string; name: string; email: string; extension_attributes: Record<string, string> }

type BookingRow = {
  id: string
  from: Date
  to: Date | null
  guest_name: string | null
  guest_email: string | null
  license_plate: string | null
  bookable_id: string
  bookable_name: string
  type: number
  status: number
  user_id?: string
  user_name: string
  email: string
  extension_attributes: Record<string, string>
  location_id?: string
  location_name: string
  code: string
  building_id?: string
  building_name: string
  address: string
}

const database = knex({
  client: 'pg',
  connection: getDatabaseUrl(),
  pool: { min: 0, max: CONNECTIONS_MAX },
})

const router = new Router({ prefix: '/api/v1' })

router.get('/users/:id', async (ctx) => {
  const { id } = ctx.params
  const row: UserRow | undefined = await database('users')
    .select('id', 'name', 'email', 'extension_attributes')
    .where({ id: Number(id) })
    .whereNull('deactivated_at')
    .first()
  if (row) ctx.body = { data: toUser(row) }
})

const BOOKING_COLUMNS = [
  'bookings.id',
  database.raw('lower(bookings.during) AS "from"'),
  database.raw('upper(bookings.during) AS "to"'),
  'bookings.guest_name',
  'bookings.guest_email',
  'bookings.license_plate',
  'bookables.id AS bookable_id',
  'bookables.name AS bookable_name',
  'bookables.type',
  'bookables.status',
]
const USER_COLUMNS = [
  'users.id AS user_id',
  'users.name AS user_name',
  'users.email',
  'users.extension_attributes',
]
const LOCATION_COLUMNS = ['locations.id AS location_id', 'locations.name AS location_name', 'locations.code']
const BUILDING_COLUMNS = [
  'buildings.id AS building_id',
  'buildings.name AS building_name',
  'buildings.address',
]

/** Uses the same indexes as Berth's queries, so that only the handling of the rows is compared. */
function queryBookings(from: unknown, to: unknown) {
  const during = claimsSql('bookings.bookable_id = bookables.id AND bookings.during && tstzrange(:from, :to)')
  return database
    .from('bookables')
    .joinRaw(`CROSS JOIN LATERAL (${during}) AS bookings`, { from: String(from), to: String(to) })
    .join('users', 'users.id', 'bookings.user_id')
    .orderByRaw('lower(bookings.during), bookings.id')
}

router.get('/locations/:id/bookings', async (ctx) => {
  const { from, to } = ctx.query
  const rows: BookingRow[] = await queryBookings(from, to)
    .select(...BOOKING_COLUMNS, ...USER_COLUMNS)
    .where('bookables.location_id', Number(ctx.params['id']))
  ctx.body = { data: rows.map(toBooking) }
})

router.get('/buildings/:id/bookings', async (ctx) => {
  const { from, to } = ctx.query
  const rows: BookingRow[] = await queryBookings(from, to)
    .select(...BOOKING_COLUMNS, ...USER_COLUMNS, ...LOCATION_COLUMNS)
    .join('locations', 'locations.id', 'bookables.location_id')
    .where('locations.building_id', Number(ctx.params['id']))
  ctx.body = { data: rows.map(toBooking) }
})

router.get('/users/:id/bookings', async (ctx) => {
  const { from, to } = ctx.query
  const rows: BookingRow[] = await database('bookings')
    .select(...BOOKING_COLUMNS, ...LOCATION_COLUMNS, ...BUILDING_COLUMNS)
    .join('bookables', 'bookables.id', 'bookings.bookable_id')
    .join('locations', 'locations.id', 'bookables.location_id')
    .join('buildings', 'buildings.id', 'locations.building_id')
    .where('bookings.user_id', Number(ctx.params['id']))
    .whereRaw('bookings.during && tstzrange(?, ?)', [String(from), String(to)])
    .orderByRaw('lower(bookings.during), bookings.id')
  ctx.body = { data: rows.map(toBooking) }
})

const app = new Koa()
app.use(router.routes())
app.use((ctx) => {
  if (ctx.path === '/healthz') ctx.body = {}
})
listenAsRival(app.callback())

const toUser = ({ id, name, email, extension_attributes }: UserRow) => ({
  id: Number(id),
  name,
  email,
  extensionAttributes: extension_attributes,
})

const toBooking = (row: BookingRow) => ({
  id: Number(row.id),
  from: toInstant(row.from),
  to: row.to && toInstant(row.to),
  livemap: `${BASE_URL}/api/v1/bookings/${row.id}/livemap`,
  bookable: {
    id: Number(row.bookable_id),
    name: row.bookable_name,
    type: row.type,
    status: row.status,
    ...(row.location_id ? { location: toLocation(row) } : {}),
  },
  ...(row.user_id ? { user: toUser({ ...row, id: row.user_id, name: row.user_name }) } : {}),
  guest: row.guest_name ?? row.guest_email,
  ...(row.type === BOOKABLE_TYPES.parkingSpot ? { license_plate: row.license_plate } : {}),
})

const toLocation = (row: BookingRow) => ({
  id: Number(row.location_id),
  name: row.location_name,
  code: row.code,
  ...(row.building_id
    ? { building: { id: Number(row.building_id), name: row.building_name, address: row.address } }
    : {}),
})

const toInstant = (date: Date) => date.toISOString().replace('Z', '000Z')
