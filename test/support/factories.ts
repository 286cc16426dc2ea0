// Rows to test with. Whatever a row needs and the test does not say is made too.
import type { Knex } from 'knex'
import { onlyRow } from '../../shared/database/database.ts'
import { hooks } from './hooks.ts'

type Row = Record<string, unknown>

let counter = 0
const next = () => ++counter

async function insert(database: Knex, table: string, row: Row): Promise<number> {
  const rows = await database(table).insert(row).returning<{ id: number }[]>('id')
  return onlyRow(rows).id
}

export function createUser(database: Knex, row: Row = {}): Promise<number> {
  const number = next()
  return insert(database, 'users', { name: `User ${number}`, email: `user${number}@example.com`, ...row })
}

export function createGroup(database: Knex, row: Row = {}): Promise<number> {
  return insert(database, 'groups', { name: `Group ${next()}`, ...row })
}

export async function createVehicle(database: Knex, row: Row = {}): Promise<number> {
  const user_id = row.user_id ?? (await createUser(database))
  return insert(database, 'vehicles', { license_plate: `B-ER ${next()}`, ...row, user_id })
}

export function createBuilding(database: Knex, row: Row = {}): Promise<number> {
  return insert(database, 'buildings', { name: `Building ${next()}`, address: '1 Quay Street', ...row })
}

export async function createLocation(database: Knex, row: Row = {}): Promise<number> {
  const building_id = row.building_id ?? (await createBuilding(database))
  const number = next()
  return insert(database, 'locations', { name: `Floor ${number}`, code: `F${number}`, ...row, building_id })
}

export async function createBookable(database: Knex, row: Row = {}): Promise<number> {
  const location_id = row.location_id ?? (await createLocation(database))
  return insert(database, 'bookables', { name: `Desk ${next()}`, type: 0, ...row, location_id })
}

/** `from` and `to` are instants; a `to` of null is open-ended. */
export async function createBooking(
  database: Knex,
  { from, to, ...row }: Row & { from: string; to: string | null },
): Promise<number> {
  const bookable_id = row.bookable_id ?? (await createBookable(database))
  const holder = row.event_id ? {} : { user_id: row.user_id ?? (await createUser(database)) }
  const during = database.raw('tstzrange(?, ?)', [from, to])
  return insert(database, 'bookings', { exclusive: true, ...row, ...holder, bookable_id, during })
}

/** A pending request. */
export async function createHold(
  database: Knex,
  { from, to, ...row }: Row & { from: string; to: string },
): Promise<number> {
  const bookable_id = row.bookable_id ?? (await createBookable(database))
  const user_id = row.user_id ?? (await createUser(database))
  const during = database.raw('tstzrange(?, ?)', [from, to])
  const hold = { kind: 'request', expires_at: from, ...row, bookable_id, user_id, during }
  const hold_id = await insert(database, 'holds', hold)
  await insert(database, 'bookings', { bookable_id, hold_id, during, exclusive: true })
  return hold_id
}

export async function createEvent(
  database: Knex,
  { from, to, ...row }: Row & { from: string; to: string },
): Promise<number> {
  const organizer_user_id = row.organizer_user_id ?? (await createUser(database))
  const during = database.raw('tstzrange(?, ?)', [from, to])
  return insert(database, 'events', { name: `Event ${next()}`, ...row, organizer_user_id, during })
}

/** A desk, its location and somebody to sit there: what most tests of bookings begin with. */
export async function createDesk(database: Knex, row: Row = {}) {
  const location_id = Number(row.location_id ?? (await createLocation(database)))
  const bookable_id = await createBookable(database, { ...row, location_id })
  const user_id = await createUser(database)
  return { bookable_id, location_id, user_id }
}

/** An upload, in chunks as the gateway stores it. */
export async function createFile(database: Knex, data: Buffer): Promise<string> {
  const size = 300_000
  const ends = { expires_at: new Date(Date.now() + 3_600_000), completed_at: new Date() }
  const file = { name: 'upload', ...ends, chunks: Math.ceil(data.length / size) }
  const { id } = onlyRow(await database('files').insert(file).returning<{ id: string }[]>('id'))
  for (let number = 0; number * size < data.length; number++) {
    const chunk = data.subarray(number * size, (number + 1) * size)
    await database('file_chunks').insert({ file_id: id, number, data: chunk })
  }
  return id
}

const HOUR_MS = 3_600_000
const nextHourMs = () => Math.ceil(Date.now() / HOUR_MS) * HOUR_MS
let heldHourMs: number | undefined

// While a test runs: what it computes twice is the same, though an hour begins between.
hooks.beforeTest.add(() => {
  heldHourMs = nextHourMs()
})
hooks.afterTest.add(() => {
  heldHourMs = undefined
})

/** So many hours from now, on the hour: an instant as the API takes it. */
export function hoursFromNow(hours: number): string {
  return new Date((heldHourMs ?? nextHourMs()) + hours * HOUR_MS).toISOString()
}

/** Many bookings of a home office at once, a second apart from 2026-03-02 on; about 600 bytes each in a listing. */
export async function createManyBookings(
  database: Knex,
  row: { bookable_id: number; user_id: number; number: number },
): Promise<void> {
  await database.raw(
    `INSERT INTO bookings (bookable_id, user_id, during, exclusive, guest_name)
     SELECT :bookable_id, :user_id, tstzrange(start, start + interval '1 hour'), false, repeat('g', 250)
     FROM generate_series(0, :number - 1) AS second,
       LATERAL (SELECT '2026-03-02T00:00:00Z'::timestamptz + second * interval '1 second') AS starts (start)`,
    row,
  )
  await database.raw('ANALYZE bookings')
}

/** `2027-06`: a month of summer time whose first days are not over before a test is, and within the year of listings. */
export function nextSummerMonth(nowMs = Date.now()): string {
  const year = new Date(nowMs).getUTCFullYear()
  const tomorrowMs = nowMs + 24 * 3_600_000
  const isAhead = (month: string) => Date.parse(`${month}-01`) > tomorrowMs
  return [`${year}-06`, `${year}-08`].find(isAhead) ?? `${year + 1}-06`
}
