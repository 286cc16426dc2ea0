// Brings back cancelled bookings as they were, under the same numbers. The exclusion constraint decides whether their
// places are still free.

import { CREATED } from '../../../shared/changes/former.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { findBrokenRules } from '../../../shared/rules/broken-rules.ts'
import { type AuditedRow, refusalBy, type Write } from '../../runtime/write.ts'
import { refuseUnbookable } from '../claims/checks.ts'
import { findConflict } from '../claims/conflicts.ts'
import { type BookingFacts, lockBookingFacts } from '../claims/facts.ts'
import {
  type Counted,
  countsBookings,
  findBrokenCounts,
  findUserBookings,
  lockUserBookings,
} from '../rules/enforce-rules.ts'
import type { Entry, Row } from './entries.ts'

type Cancelled = { id: number; row: Row; from: string; to: string | null; facts: BookingFacts }

/** Returns why some cannot come back. */
export async function restoreBookings(write: Write, entries: Entry[]): Promise<Refusal[]> {
  const connection = await write.connection()
  const found = await lockBookingFacts(
    connection,
    entries.map(({ before }) => subjectOf(before)),
  )
  const cancelled = entries.map(({ thing, before, from, to }, index): Cancelled => {
    return { id: thing, row: before ?? {}, from, to, facts: found[index] ?? {} }
  })
  const checked = cancelled.map((each) => refusalBy(() => check(write, each)))
  const refused = checked.filter((each) => each instanceof Refusal)
  const open = checked.filter((each): each is Cancelled => !(each instanceof Refusal))
  const counted = open.filter(isCounted)
  await lockUserBookings(
    connection,
    counted.map(({ row }) => Number(row['user_id'])),
  )
  refused.push(
    ...(await insert(
      write,
      open.filter((each) => !isCounted(each)),
    )),
  )
  // Each counts those before it.
  for (const each of counted)
    refused.push(...((await findTooMany(write, each)) ?? (await insert(write, [each]))))
  return refused
}

export const subjectOf = (row: Row | null) => ({
  bookable_id: Number(row?.['bookable_id']),
  user_id: Number(row?.['user_id']),
  user_vehicle_id: row?.['vehicle_id'] as number | null,
})

const isCounted = ({ facts }: Cancelled) => facts.rules !== undefined && countsBookings(facts.rules.rules)

function check(write: Write, cancelled: Cancelled): Cancelled {
  const { facts, from, to } = cancelled
  const { bookable } = requirePlaceAndPerson(facts)
  refuseUnbookable(bookable)
  const [broken] = findBrokenRules(facts.rules, { from, to }, write.now)
  if (broken) throw broken
  return cancelled
}

/** Also a vehicle, where the place requires one. */
export function requirePlaceAndPerson({ bookable, user, vehicle }: BookingFacts) {
  if (!bookable) throw new Refusal('in_use', message`Its desk or room no longer exists. Nothing was undone.`)
  if (!user) throw new Refusal('in_use', message`The person of this booking has been deactivated.`)
  if (bookable.requiresVehicle && !vehicle)
    throw new Refusal('in_use', message`${bookable.name} can only be booked with a vehicle.`)
  return { bookable, vehicle }
}

async function findTooMany(
  write: Write,
  { row, facts, from, to }: Cancelled,
): Promise<Refusal[] | undefined> {
  if (!facts.rules) return undefined
  const { now, buildingIds } = write
  const isForGuest = (row['guest_name'] ?? row['guest_email'] ?? null) !== null
  const counted: Counted = {
    userId: Number(row['user_id']),
    isForGuest,
    facts: facts.rules,
    span: { from, to },
    now,
    buildingIds,
  }
  const [has] = await findUserBookings(await write.connection(), [counted])
  const [broken] = has ? findBrokenCounts(counted, has) : []
  return broken && [broken]
}

const KEPT = [
  'id',
  'bookable_id',
  'user_id',
  'during',
  'exclusive',
  'guest_name',
  'guest_email',
  'booking_info',
  'license_plate',
  'created_at',
  'check_in_from',
  'checked_in_at',
].join(', ')

// Columns that are younger than the entry get their defaults. Check-in is open as long as for a booking that begins now,
// and the revision is newer than the one with which calendars tell that it was cancelled.
async function insert(write: Write, cancelled: Cancelled[]): Promise<Refusal[]> {
  if (cancelled.length === 0) return []
  const after = await write.all<AuditedRow>(
    `INSERT INTO bookings (${KEPT}, vehicle_id, series_id, check_in_until, revision) OVERRIDING SYSTEM VALUE
     SELECT ${KEPT}, (SELECT vehicles.id FROM vehicles WHERE vehicles.id = was.vehicle_id),
       (SELECT series.id FROM series WHERE series.id = was.series_id),
       greatest(check_in_until, CAST(:now AS timestamptz) + (check_in_until - lower(during))), coalesce(revision, 0) + 2
     FROM jsonb_populate_recordset(NULL::bookings, CAST(:rows AS jsonb)) AS was ORDER BY was.bookable_id, was.id
     ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
     RETURNING id, to_jsonb(bookings) AS row`,
    { now: write.now, rows: JSON.stringify(cancelled.map(rowOf)) },
  )
  await write.auditRows('bookings.create', CREATED, { after })
  const restored = new Set(after.map(({ id }) => id))
  await write.run('DELETE FROM cancelled_bookings WHERE booking_id = ANY(?::bigint[]) AND event_id IS NULL', [
    [...restored],
  ])
  const taken = cancelled.filter(({ id }) => !restored.has(id))
  const refused: Refusal[] = []
  for (const each of taken) refused.push(await findTaken(write, each))
  return refused
}

const rowOf = ({ row, facts }: Cancelled) => ({ ...row, exclusive: !facts.bookable?.isHomeOffice })

async function findTaken(write: Write, { row, facts, from, to }: Cancelled): Promise<Refusal> {
  const subject = { ...subjectOf(row), hasVehicle: facts.vehicle !== undefined, now: write.now }
  const conflict = await findConflict(await write.connection(), subject, { from, to })
  return conflict ?? new Refusal('booking_conflict', message`The time is taken.`)
}
