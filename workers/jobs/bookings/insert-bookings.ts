// Inserts new bookings that have passed all checks but two: whether there is room, and the rules that count a
// user's bookings. One statement inserts them with their audit log and outbox entries, and builds their replies.
import { writtenBookingJson } from '../../../shared/bookings/bookings-shape.ts'
import { inBuilding } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES } from '../../../shared/changes/changes-shape.ts'
import { insertChanges } from '../../../shared/changes/record.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import type { HeldBooking } from '../../../shared/rules/rule-checks.ts'
import { dataText, onlyItemJson, selectedText } from '../../../shared/schemas/json.ts'
import { wholeDays } from '../../../shared/schemas/wall-clock.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { BatchedWrite } from '../../runtime/write.ts'
import { findConflict, type OpenTimeRange } from '../claims/conflicts.ts'
import type { BookingFacts } from '../claims/facts.ts'
import { checkInWindow } from '../rules/check-in-windows.ts'
import {
  type Counted,
  countsBookings,
  findBrokenCounts,
  findUserBookings,
  lockUserBookings,
  NONE,
  throwUnlessOverridden,
  type UserBookings,
} from '../rules/enforce-rules.ts'

export type NewBookingInput = (InputOf<'bookings.create'> | InputOf<'bookings.create-open'>) & {
  series_id?: number
  is_approved?: boolean
}
export type NewBookingReply = ReplyOf<'bookings.create'>
export type NewBooking = {
  write: BatchedWrite<NewBookingInput>
  fact: BookingFacts
  overridden: RefusalCode[]
}

const CHANGED = CHANGED_SHAPES.bookings
const REPLY = dataText<NewBookingReply['data']>(onlyItemJson(writtenBookingJson('wanted.base_url')))

// Never a plain INSERT: inserts that wait for each other on the exclusion constraint deadlock. With DO
// NOTHING they do not, if all insert in the same order. Rows missing from the result had no room. The data
// for the reply, the audit log and the outbox is read once, because each mention of a table costs.
const INSERT = `
  WITH wanted AS MATERIALIZED (
    SELECT nextval('bookings_id_seq') AS id, asked.*
    FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::boolean[], $6::text[], $7::text[],
      $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::text[], $15::text[], $16::text[],
      $17::timestamptz[], $18::timestamptz[], $19::bigint[], $20::uuid[])
      WITH ORDINALITY AS asked (bookable_id, user_id, from_time, to_time, exclusive, guest_name, guest_email, booking_info,
        vehicle_id, license_plate, base_url, actor_type, actor_id, actor_name, request_id, overridden, check_in_from,
        check_in_until, series_id, attempt, ordinal)
  ), bookings AS (
    INSERT INTO bookings (id, bookable_id, user_id, during, exclusive, guest_name, guest_email, booking_info, vehicle_id,
      license_plate, check_in_from, check_in_until, series_id)
    OVERRIDING SYSTEM VALUE
    SELECT id, bookable_id, user_id, tstzrange(from_time, to_time), exclusive, guest_name, guest_email, booking_info,
      vehicle_id, license_plate, check_in_from, check_in_until, wanted.series_id
    FROM wanted
    ORDER BY bookable_id, ordinal
    ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
    RETURNING *
  ), written AS MATERIALIZED (
    SELECT ordinal, bookings.id, actor_type, actor_id, actor_name, request_id, attempt, locations.building_id,
      CASE WHEN overridden IS NULL THEN to_jsonb(bookings)
      ELSE to_jsonb(bookings) || jsonb_build_object('overridden_rules', string_to_array(overridden, ',')) END AS row,
      ${CHANGED.json} AS data, ${REPLY} AS text
    FROM wanted JOIN (${CHANGED.rows}) ON bookings.id = wanted.id
  ), audited AS (
    INSERT INTO audit_log (actor_type, actor_id, actor_name, action, resource, resource_id, after, request_id, attempt)
    SELECT actor_type, actor_id, actor_name, 'bookings.create', 'bookings', id, row, request_id, attempt
    FROM written ORDER BY ordinal
  ), changed AS (
    ${insertChanges(
      {
        type: "'booking'",
        action: "'created'",
        id: 'id',
        data: 'data',
        previous: 'NULL',
        place: inBuilding('building_id'),
      },
      'actor_type, actor_id, actor_name, request_id, attempt',
    )} FROM written ORDER BY ordinal
  )
  SELECT ordinal, text FROM written`

/** Returns the replies; a booking that had no room has none. */
async function insertBookings(connection: Connection, kept: Kept[]) {
  const replies = new Map<NewBooking, JsonText<NewBookingReply>>()
  const [first, ...others] = kept.map(({ changed }) => valuesOf(changed))
  if (!first) return replies
  const inserted = await connection.query<{ ordinal: number; text: string }>({
    name: 'insert-bookings',
    text: INSERT,
    values: first.map((value, column) => [value, ...others.map((row) => row[column])]),
  })
  for (const { ordinal, text } of inserted.rows) {
    const booking = kept[ordinal - 1]?.booking
    if (booking) replies.set(booking, selectedText(REPLY, text))
  }
  return replies
}

function valuesOf(booking: NewBooking) {
  const { input, context } = booking.write
  const { bookable, vehicle } = booking.fact
  const { from, to } = spanOf(booking)
  const checkIn = checkInWindow(booking.fact.rules, { from, to }, context.now)
  const parked = bookable?.isParkingSpot ? vehicle : undefined
  return [
    ...[input.bookable_id, input.user_id, from, to, !bookable?.isHomeOffice],
    ...[input.guest_name || null, input.guest_email ?? null, input.booking_info || null],
    ...[parked?.id ?? null, parked?.licensePlate ?? null],
    ...[context.baseUrl, context.actor.type, context.actor.id, context.actor.name, context.requestId],
    booking.overridden.join(',') || null,
    checkIn.from,
    checkIn.until,
    input.series_id ?? null,
    context.attempt,
  ]
}

export function spanOf({ write: { input, context } }: NewBooking): OpenTimeRange {
  return { from: input.from_time ?? context.now, to: 'to_time' in input ? input.to_time : null }
}

type Decisions = Map<NewBooking | undefined, JsonText<NewBookingReply> | Refusal>
/** `changed` also says which rules it overrides. */
type Kept = { booking: NewBooking; changed: NewBooking }
type UserCount = { counted: Counted; present: UserBookings }

// A conflicting claim may vanish before it can be named; then there is room after all.
const VANISHED_MAX = 5

/** A booking without a decision met too many conflicts that vanished again. */
export async function insertUnlessOverLimit(connection: Connection, open: NewBooking[]): Promise<Decisions> {
  const counts = await findCounts(connection, open)
  const isUndone = hasSeveralOfOneUser(counts)
  const decisions: Decisions = new Map()
  for (let vanished = 0; vanished < VANISHED_MAX && decisions.size < open.length; ) {
    const { kept, broken } = applyCounts(
      open.filter((booking) => !decisions.has(booking)),
      counts,
    )
    if (isUndone) await connection.query('SAVEPOINT counted')
    const inserted = await insertBookings(connection, kept)
    const taken = kept.filter(({ booking }) => !inserted.has(booking))
    const conflicts = await Promise.all(taken.map(({ booking }) => findConflictOf(connection, booking)))
    // Bookings after one that found no room were counted wrongly.
    const isWrong = taken.length > 0 && isUndone
    if (isWrong) await connection.query('ROLLBACK TO SAVEPOINT counted')
    else for (const [booking, decision] of [...inserted, ...broken]) decisions.set(booking, decision)
    for (const [index, { booking }] of taken.entries()) {
      const conflict = conflicts[index]
      if (conflict) decisions.set(booking, conflict)
      else vanished++
    }
  }
  return decisions
}

async function findCounts(connection: Connection, open: NewBooking[]): Promise<Map<NewBooking, UserCount>> {
  const asked = open.flatMap((booking): Array<[NewBooking, Counted]> => {
    const { input, context } = booking.write
    const { now, buildingIds } = context
    const facts = booking.fact.rules
    if (!facts || !countsBookings(facts.rules)) return []
    const user = { userId: input.user_id, isForGuest: isForGuest(booking) }
    return [[booking, { ...user, facts, span: spanOf(booking), now, buildingIds }]]
  })
  if (asked.length === 0) return new Map()
  const all = asked.map(([, counted]) => counted)
  await lockUserBookings(
    connection,
    all.map(({ userId }) => userId),
  )
  const found = await findUserBookings(connection, all)
  return new Map(
    asked.map(([booking, counted], index) => [booking, { counted, present: found[index] ?? NONE }]),
  )
}

const isForGuest = ({ write: { input } }: NewBooking) => Boolean(input.guest_name || input.guest_email)

function hasSeveralOfOneUser(counts: Map<NewBooking, UserCount>): boolean {
  const users = [...counts.keys()].map(({ write }) => write.input.user_id)
  return new Set(users).size < users.length
}

/** Checks them in order, as if all that are kept found room. */
function applyCounts(open: NewBooking[], counts: Map<NewBooking, UserCount>) {
  const kept: Kept[] = []
  const broken = new Map<NewBooking, Refusal>()
  const before = new Map<number, NewBooking[]>()
  for (const booking of open) {
    const { user_id } = booking.write.input
    const own = before.get(user_id) ?? []
    before.set(user_id, own)
    try {
      const found = brokenAfter(own, counts.get(booking))
      const overridden = [...booking.overridden, ...throwUnlessOverridden(found, booking.write.input)]
      kept.push({ booking, changed: { ...booking, overridden } })
      own.push(booking)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      broken.set(booking, error)
    }
  }
  return { kept, broken }
}

function brokenAfter(before: NewBooking[], count: UserCount | undefined): Refusal[] {
  if (!count) return []
  const { counted, present } = count
  const { facts, span } = counted
  const same = before.filter(({ fact }) => fact.bookable?.type === facts.bookable.type)
  const { column, id } = facts.countedIn
  const ahead = same.filter(({ fact }) => fact.rules?.places[column] === id).length
  const own = same.filter((booking) => !isForGuest(booking)).map(heldBy)
  const firstDuring = (time: OpenTimeRange, held: HeldBooking | null) =>
    [...own.filter((each) => overlaps(each, time)), ...(held ? [held] : [])].sort((a, b) =>
      a.from < b.from ? -1 : 1,
    )[0] ?? null
  return findBrokenCounts(counted, {
    ahead: present.ahead + ahead,
    present: firstDuring(span, present.present),
    thatDay: firstDuring(wholeDays(span, facts.zone), present.thatDay),
  })
}

function heldBy(booking: NewBooking): HeldBooking {
  const { bookable, zone = 'UTC' } = booking.fact
  return { name: bookable?.name ?? '', zone, ...spanOf(booking) }
}

const overlaps = (a: OpenTimeRange, b: OpenTimeRange) =>
  (b.to === null || a.from < b.to) && (a.to === null || b.from < a.to)

function findConflictOf(connection: Connection, booking: NewBooking): Promise<Refusal | undefined> {
  const { input, context } = booking.write
  const subject = { ...input, hasVehicle: booking.fact.vehicle !== undefined, now: context.now }
  return findConflict(connection, subject, spanOf(booking))
}
