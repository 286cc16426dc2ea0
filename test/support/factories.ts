// Creates rows for tests, together with all rows that they need.
import type { Knex } from 'knex'
import { getOnlyRow } from '../../shared/database/database.ts'
import { hooks } from './hooks.ts'

type Row = Record<string, unknown>

let counter = 0
const incrementCounter = () => ++counter

async function insert(database: Knex, table: string, row: Row): Promise<number> {
  const rows = await database(table).insert(row).returning<{ id: number }[]>('id')
  return getOnlyRow(rows).id
}

export function createUser(database: Knex, row: Row = {}): Promise<number> {
  const number = incrementCounter()
  return insert(database, 'users', { name: `User ${number}`, email: `user${number}@example.com`, ...row })
}

export function createGroup(database: Knex, row: Row = {}): Promise<number> {
  return insert(database, 'groups', { name: `Group ${incrementCounter()}`, ...row })
}

export async function createVehicle(database: Knex, row: Row = {}): Promise<number> {
  const user_id = row.user_id ?? (await createUser(database))
  return insert(database, 'vehicles', { license_plate: `B-ER ${incrementCounter()}`, ...row, user_id })
}

/** Lends an assigned bookable. `days` is a range of dates, such as `[2030-03-01,2030-03-15)`. */
export async function createLoan(
  database: Knex,
  row: Row & { bookable_id: number; user_id: number; days: string },
): Promise<number> {
  const { bookable_id, user_id } = row
  await database('bookable_assignees').insert({ bookable_id, user_id }).onConflict().ignore()
  await database('bookables').where({ id: bookable_id }).update({ status: 2 })
  return insert(database, 'loans', row)
}

/** Links a bookable to a calendar. By default, it is a CalDAV calendar that is in step. */
export async function createRoomCalendar(
  database: Knex,
  { provider = 'caldav', ...row }: Row & { bookable_id: number; calendar: string; provider?: string },
): Promise<void> {
  await createCalendarProvider(database, provider)
  const in_step_at = new Date()
  const later = new Date(in_step_at.getTime() + 3_600_000)
  const times = { in_step_at, next_read_at: later, next_write_at: null, next_watch_at: later }
  await database('room_calendars').insert({ provider, ...times, ...row })
}

/** Acts as a process that has settings for the provider. */
export async function createCalendarProvider(database: Knex, provider: string): Promise<void> {
  const seen = { provider, seen_at: new Date(), next_list_at: new Date(Date.now() + 3_600_000) }
  await database('calendar_providers').insert(seen).onConflict('provider').merge()
}

/** Creates an absence. `days` is a range of dates, such as `[2030-03-01,2030-03-15)`. */
export async function createAbsence(database: Knex, row: Row & { days: string }): Promise<number> {
  const user_id = row.user_id ?? (await createUser(database))
  return insert(database, 'absences', { ...row, user_id })
}

export function createBuilding(database: Knex, row: Row = {}): Promise<number> {
  return insert(database, 'buildings', {
    name: `Building ${incrementCounter()}`,
    address: '1 Quay Street',
    ...row,
  })
}

export async function createLocation(database: Knex, row: Row = {}): Promise<number> {
  const building_id = row.building_id ?? (await createBuilding(database))
  const number = incrementCounter()
  return insert(database, 'locations', { name: `Floor ${number}`, code: `F${number}`, ...row, building_id })
}

export async function createBookable(database: Knex, row: Row = {}): Promise<number> {
  const location_id = row.location_id ?? (await createLocation(database))
  return insert(database, 'bookables', { name: `Desk ${incrementCounter()}`, type: 0, ...row, location_id })
}

/** Creates a booking. `from` and `to` are instants, and a `to` of null means an open-ended booking. */
export async function createBooking(
  database: Knex,
  { from, to, ...row }: Row & { from: string; to: string | null },
): Promise<number> {
  const bookable_id = row.bookable_id ?? (await createBookable(database))
  const holder = row.event_id ? {} : { user_id: row.user_id ?? (await createUser(database)) }
  const during = database.raw('tstzrange(?, ?)', [from, to])
  return insert(database, 'bookings', { exclusive: true, ...row, ...holder, bookable_id, during })
}

/** Creates a pending booking request. */
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
  return insert(database, 'events', {
    name: `Event ${incrementCounter()}`,
    ...row,
    organizer_user_id,
    during,
  })
}

/** Creates a desk, its location and a user, which most tests of bookings need. */
export async function createDesk(database: Knex, row: Row = {}) {
  const location_id = Number(row.location_id ?? (await createLocation(database)))
  const bookable_id = await createBookable(database, { ...row, location_id })
  const user_id = await createUser(database)
  return { bookable_id, location_id, user_id }
}

/** Creates an upload in chunks, like the gateway. */
export async function createFile(database: Knex, data: Buffer): Promise<string> {
  const size = 300_000
  const ends = { expires_at: new Date(Date.now() + 3_600_000), completed_at: new Date() }
  const file = { name: 'upload', ...ends, chunks: Math.ceil(data.length / size) }
  const { id } = getOnlyRow(await database('files').insert(file).returning<{ id: string }[]>('id'))
  for (let number = 0; number * size < data.length; number++) {
    const chunk = data.subarray(number * size, (number + 1) * size)
    await database('file_chunks').insert({ file_id: id, number, data: chunk })
  }
  return id
}

const HOUR_MS = 3_600_000
const getNextHourMs = () => Math.ceil(Date.now() / HOUR_MS) * HOUR_MS
let heldHourMs: number | undefined

// Fixes the current hour during a test, so that repeated calls agree even if a new hour begins.
hooks.beforeTest.add(() => {
  heldHourMs = getNextHourMs()
})
hooks.afterTest.add(() => {
  heldHourMs = undefined
})

/** Returns the full hour that is the given number of hours from now, in the format of the API. */
export function hoursFromNow(hours: number): string {
  return new Date((heldHourMs ?? getNextHourMs()) + hours * HOUR_MS).toISOString()
}

/**
 * Creates many bookings of a home office, a second apart from 2026-03-02 on. Each booking is about 600 bytes in a
 * listing.
 */
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

/** Returns a month in summer time, such as `2027-06`, that is entirely in the future and less than a year ahead. */
export function findNextSummerMonth(nowMs = Date.now()): string {
  const year = new Date(nowMs).getUTCFullYear()
  const tomorrowMs = nowMs + 24 * 3_600_000
  const isAhead = (month: string) => Date.parse(`${month}-01`) > tomorrowMs
  return [`${year}-06`, `${year}-08`].find(isAhead) ?? `${year + 1}-06`
}

/** Creates closed times in the past for the rules of a place. */
export const createClosedTimes = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const hour = `2020-01-0${1 + Math.floor(at / 24)}T${String(at % 24).padStart(2, '0')}`
    return { from: `${hour}:00:00.000000Z`, to: `${hour}:30:00.000000Z`, reason: 'Short' }
  })
