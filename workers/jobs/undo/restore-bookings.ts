// Restores cancelled bookings with their ids. The exclusion constraint decides whether their bookables are still free.

import { NEWLY_CREATED } from '../../../shared/changes/former-state.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { findBrokenRules } from '../../../shared/rules/broken-rules.ts'
import { type AuditedRow, catchRefusal, type Write } from '../../runtime/write.ts'
import { findAllowedForOthers } from '../bookings/book-for-others.ts'
import { refuseUnbookable } from '../claims/checks.ts'
import { findConflict } from '../claims/conflicts.ts'
import { type BookingFacts, lockBookingFacts } from '../claims/facts.ts'
import { refuseUnlessOwner } from '../rows/personal-tokens.ts'
import {
  type CountedBooking,
  findBrokenCounts,
  findUserBookings,
  hasCountingRules,
  lockUserBookings,
  omitNeedsApproval,
} from '../rules/enforce-rules.ts'
import type { UndoEntry, UndoRow } from './entries.ts'

/** `isForOther` is whether a person restores the booking of somebody else for whom they may book. */
type CancelledBooking = {
  id: number
  row: UndoRow
  from: string
  to: string | null
  facts: BookingFacts
  isForOther: boolean
}

/** Restores bookings. Returns the reasons why some of them cannot be restored. */
export async function restoreBookings(write: Write, entries: UndoEntry[]): Promise<Refusal[]> {
  const connection = await write.connection()
  const subjects = entries.map(({ before }) => toSubject(before))
  const found = await lockBookingFacts(connection, subjects)
  const writes = subjects.map((input) => ({ input, context: write }))
  const allowed = await findAllowedForOthers(connection, writes)
  const cancelled = entries.map(({ thing, before, from, to }, index): CancelledBooking => {
    const [facts, isForOther] = [found[index] ?? {}, allowed.has(index)]
    return { id: thing, row: before ?? {}, from, to, facts, isForOther }
  })
  const checked = cancelled.map((each) => catchRefusal(() => checkCancelledBooking(write, each)))
  const refused = checked.filter((each) => each instanceof Refusal)
  const open = checked.filter((each): each is CancelledBooking => !(each instanceof Refusal))
  const counted = open.filter(hasCountedRule)
  await lockUserBookings(
    connection,
    counted.map(({ row }) => Number(row['user_id'])),
  )
  refused.push(
    ...(await insertCancelled(
      write,
      open.filter((each) => !hasCountedRule(each)),
    )),
  )
  // The rules count the bookings that were restored before this one.
  for (const each of counted)
    refused.push(...((await findOverLimit(write, each)) ?? (await insertCancelled(write, [each]))))
  return refused
}

export const toSubject = (row: UndoRow | null) => ({
  bookable_id: Number(row?.['bookable_id']),
  user_id: Number(row?.['user_id']),
  user_vehicle_id: row?.['vehicle_id'] as number | null,
})

const hasCountedRule = ({ facts }: CancelledBooking) =>
  facts.rules !== undefined && hasCountingRules(facts.rules.rules)

function checkCancelledBooking(write: Write, cancelled: CancelledBooking): CancelledBooking {
  const { row, facts, from, to, isForOther } = cancelled
  if (!isForOther) refuseUnlessOwner(write, Number(row['user_id']))
  const { bookable } = requirePlaceAndPerson(facts)
  refuseUnbookable(bookable, { from, to })
  // The booking existed at this place and time, so it needs no further approval.
  const [broken] = omitNeedsApproval(findBrokenRules(facts.rules, { from, to }, write.now), {
    is_approved: true,
  })
  if (broken) throw broken
  return cancelled
}

/** Refuses unless the bookable and the person still exist. If the bookable requires a vehicle, it must also exist. */
export function requirePlaceAndPerson({ bookable, user, vehicle }: BookingFacts) {
  if (!bookable) throw new Refusal('in_use', message`The desk or room no longer exists. Nothing was undone.`)
  if (!user) throw new Refusal('in_use', message`The person who holds this booking has been deactivated.`)
  if (bookable.requiresVehicle && !vehicle)
    throw new Refusal('in_use', message`${bookable.name} can only be booked with a vehicle.`)
  return { bookable, vehicle }
}

async function findOverLimit(
  write: Write,
  { row, facts, from, to, isForOther }: CancelledBooking,
): Promise<Refusal[] | undefined> {
  if (!facts.rules) return undefined
  const { now, buildingIds } = write
  const isForGuest = (row['guest_name'] ?? row['guest_email'] ?? null) !== null
  const counted: CountedBooking = {
    userId: Number(row['user_id']),
    isForGuest,
    facts: facts.rules,
    span: { from, to },
    now,
    buildingIds,
    isForOther,
  }
  const [has] = await findUserBookings(await write.connection(), [counted])
  const [broken] = has ? findBrokenCounts(counted, has) : []
  if (!broken) return undefined
  // With the code of the rule, people's pages would reword the refusal as if the reader had the other booking.
  return [isForOther ? new Refusal('in_use', broken.detail) : broken]
}

const KEPT_COLUMNS = [
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

// Inserts cancelled bookings again. Columns that are newer than the audit log entry get their default values. The
// check-in window is that of a booking that begins now. The revision is higher than the one in the cancellation that
// calendars received.
async function insertCancelled(write: Write, cancelled: CancelledBooking[]): Promise<Refusal[]> {
  if (cancelled.length === 0) return []
  const after = await write.all<AuditedRow>(
    `INSERT INTO bookings (${KEPT_COLUMNS}, vehicle_id, series_id, booked_by_user_id, check_in_until, revision) OVERRIDING SYSTEM VALUE
     SELECT ${KEPT_COLUMNS}, (SELECT vehicles.id FROM vehicles WHERE vehicles.id = was.vehicle_id),
       (SELECT series.id FROM series WHERE series.id = was.series_id),
       (SELECT users.id FROM users WHERE users.id = was.booked_by_user_id),
       greatest(check_in_until, CAST(:now AS timestamptz) + (check_in_until - lower(during))), coalesce(revision, 0) + 2
     FROM jsonb_populate_recordset(NULL::bookings, CAST(:rows AS jsonb)) AS was ORDER BY was.bookable_id, was.id
     ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
     RETURNING id, to_jsonb(bookings) AS row`,
    { now: write.now, rows: JSON.stringify(cancelled.map(toRow)) },
  )
  await write.auditRows('bookings.create', NEWLY_CREATED, { after })
  const restored = new Set(after.map(({ id }) => id))
  await write.run('DELETE FROM cancelled_bookings WHERE booking_id = ANY(?::bigint[]) AND event_id IS NULL', [
    [...restored],
  ])
  const taken = cancelled.filter(({ id }) => !restored.has(id))
  const refused: Refusal[] = []
  for (const each of taken) refused.push(await findTakenRefusal(write, each))
  return refused
}

const toRow = ({ row, facts }: CancelledBooking) => ({ ...row, exclusive: !facts.bookable?.isHomeOffice })

async function findTakenRefusal(write: Write, { row, facts, from, to }: CancelledBooking): Promise<Refusal> {
  const subject = { ...toSubject(row), hasVehicle: facts.vehicle !== undefined, now: write.now }
  const conflict = await findConflict(await write.connection(), subject, { from, to })
  return conflict ?? new Refusal('booking_conflict', message`The time is taken.`)
}
