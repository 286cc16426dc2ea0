// Moves bookings to another time or bookable, in batches, if the rules allow the move. The exclusion constraint decides
// whether the new bookable is free.

import { bookingDetailsText, writtenBookingJson } from '../../../shared/bookings/bookings-shape.ts'
import { Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { findBrokenRules, type RuleFacts } from '../../../shared/rules/broken-rules.ts'
import { dataBodyText } from '../../../shared/schemas/json.ts'
import { type Connection, sendPipelined } from '../../runtime/connection.ts'
import { findConstraintRefusal } from '../../runtime/refusals.ts'
import { catchRefusal, type WriteContext } from '../../runtime/write.ts'
import { findConflict, type OpenTimeRange } from '../claims/conflicts.ts'
import type { BookingFacts, Vehicle } from '../claims/facts.ts'
import { computeChangedCheckInWindow, computeCheckInWindow } from '../rules/check-in-windows.ts'
import {
  addWrittenBookings,
  type CountedBooking,
  findBrokenCounts,
  findUserBookings,
  hasCountingRules,
  type InputOverridingRules,
  lockUserBookings,
  omitNeedsApproval,
  throwUnlessOverridden,
  type WrittenBooking,
} from '../rules/enforce-rules.ts'
import { type BookingDetails, type CurrentBooking, isForGuest } from './present-bookings.ts'
import { BASE_URL_SQL, prepareBookingChange } from './record-bookings.ts'

export type BookingChange = {
  context: WriteContext
  before: CurrentBooking
  bookableId: number
  span: OpenTimeRange
  facts: BookingFacts
  /** The new vehicle. Undefined keeps the current vehicle, and null clears it. */
  vehicle: Vehicle | null | undefined
  details: BookingDetails
  /** The rules to check and those to override. If undefined, no rules are checked. */
  overridable: (InputOverridingRules & { is_approved?: boolean | undefined }) | undefined
}

/**
 * If the new start is in the future, the booking needs a new check-in. Bookings are updated in the same order in which
 * new bookings are inserted.
 */
const updateBookings = prepareBookingChange('update-bookings', {
  action: 'bookings.update',
  columns: {
    bookable_id: 'bigint',
    from_time: 'timestamptz',
    to_time: 'timestamptz',
    now: 'timestamptz',
    opens: 'timestamptz',
    closes: 'timestamptz',
    keeps_vehicle: 'boolean',
    vehicle_id: 'bigint',
    license_plate: 'text',
    guest_name: 'text',
    guest_email: 'text',
    booking_info: 'text',
    exclusive: 'boolean',
    overridden: 'text',
  },
  change: `
    UPDATE bookings SET bookable_id = asked.bookable_id, during = tstzrange(from_time, to_time), updated_at = now(),
      check_in_from = opens, check_in_until = closes,
      checked_in_at = CASE WHEN lower(during) = from_time OR from_time <= now THEN checked_in_at END,
      vehicle_id = CASE WHEN keeps_vehicle THEN bookings.vehicle_id ELSE asked.vehicle_id END,
      license_plate = CASE WHEN keeps_vehicle THEN bookings.license_plate ELSE asked.license_plate END,
      exclusive = asked.exclusive, guest_name = asked.guest_name, guest_email = asked.guest_email, booking_info = asked.booking_info
    FROM (SELECT * FROM asked ORDER BY bookable_id, ordinal) AS asked WHERE bookings.id = asked.id`,
  reply: dataBodyText(writtenBookingJson(BASE_URL_SQL)),
  body: bookingDetailsText(BASE_URL_SQL),
  // `saveBookingsTogether` has already changed the column `exclusive`, so the audit log needs the former
  // value.
  auditedBefore: `to_jsonb(bookings) || jsonb_build_object('exclusive', asked.exclusive)`,
  audited: `CASE WHEN overridden IS NULL THEN to_jsonb(bookings)
    ELSE to_jsonb(bookings) || jsonb_build_object('overridden_rules', string_to_array(overridden, ',')) END`,
})

export type SavedBooking = Awaited<ReturnType<typeof updateBookings>>[number]
type Decisions = Map<BookingChange, SavedBooking | Refusal>

/**
 * Saves changes of bookings. The caller must hold the claim locks of the old and the new bookable of each booking.
 * Returns results in the order of the changes.
 */
export async function saveBookings(
  connection: Connection,
  changes: BookingChange[],
): Promise<Array<SavedBooking | Refusal>> {
  const decisions: Decisions = new Map()
  await lockCountedUsers(connection, changes)
  for (let open = changes; open.length > 0; open = open.filter((change) => !decisions.has(change))) {
    const { kept, refused } = await checkRules(connection, open.filter(isFirstOfUser))
    for (const [change, decision] of [...refused, ...(await saveAllChanges(connection, kept))])
      decisions.set(change, decision)
  }
  return changes.flatMap((change) => decisions.get(change) ?? [])
}

async function lockCountedUsers(connection: Connection, changes: BookingChange[]): Promise<void> {
  const users = changes.filter(isCountedByRules).map(({ before }) => before.user_id)
  if (users.length > 0) await lockUserBookings(connection, users)
}

/**
 * Saves either all changes or none, even if the bookings take each other's place. The bookings do not exclude each
 * other or other bookings until `update` runs. Rules that count a user's bookings see all of them as they are after the
 * write. `explain` words the refusal of a change.
 */
export async function saveBookingsTogether(
  connection: Connection,
  changes: BookingChange[],
  explain = (refusal: Refusal, _change: BookingChange) => refusal,
): Promise<SavedBooking[]> {
  await connection.query({
    name: 'exclude-none',
    text: 'UPDATE bookings SET exclusive = false WHERE id = ANY($1::bigint[])',
    values: [changes.map(({ before }) => before.id)],
  })
  await lockCountedUsers(connection, changes)
  const { kept, refused } = await checkRules(connection, changes, changes)
  const decisions: Decisions = new Map([...refused, ...(await saveAllChanges(connection, kept))])
  return changes.flatMap((change) => {
    const each = decisions.get(change)
    if (each instanceof Refusal) throw explain(each, change)
    return each ?? []
  })
}

/**
 * Whether this is the user's first change among those for which rules count bookings. Each of the user's changes is
 * checked after the previous one is saved.
 */
const isFirstOfUser = (change: BookingChange, index: number, changes: BookingChange[]) =>
  !isCountedByRules(change) ||
  changes.findIndex((each) => isCountedByRules(each) && each.before.user_id === change.before.user_id) ===
    index

const isCountedByRules = ({ overridable, facts }: BookingChange) =>
  Boolean(overridable && facts.rules && hasCountingRules(facts.rules.rules))

type AllowedBooking = { change: BookingChange; overridden: RefusalCode[] }

/** Checks changes, as if the changes `together` were already saved. */
async function checkRules(connection: Connection, changes: BookingChange[], together: BookingChange[] = []) {
  const counted = changes.filter(isCountedByRules)
  const changedIds = together.map(({ before }) => before.id)
  const found = await findUserBookings(connection, counted.flatMap(toCountedBooking), changedIds)
  const kept: AllowedBooking[] = []
  const refused: Decisions = new Map()
  for (const change of changes) {
    const { facts, overridable, span, context } = change
    const overridden = catchRefusal(() => {
      if (!overridable) return []
      const broken = omitNeedsApproval(findBrokenRules(facts.rules, span, context.now), overridable)
      const has = found[counted.indexOf(change)]
      const [asked] = toCountedBooking(change)
      if (!has || !asked) return throwUnlessOverridden(broken, overridable)
      const others = together.filter((each) => each !== change && each.before.user_id === asked.userId)
      const counts = findBrokenCounts(asked, addWrittenBookings(asked, has, others.map(toWrittenBooking)))
      return throwUnlessOverridden([...broken, ...counts], overridable)
    })
    if (overridden instanceof Refusal) refused.set(change, overridden)
    else kept.push({ change, overridden })
  }
  return { kept, refused }
}

const toWrittenBooking = ({ facts, span, details }: BookingChange): WrittenBooking => ({
  facts,
  span,
  isForGuest: isForGuest(details),
})

// Returns the booking as the counting rules see it. A booking does not count against itself.
function toCountedBooking({
  before,
  details,
  facts: { rules },
  span,
  context,
}: BookingChange): CountedBooking[] {
  if (!rules) return []
  const { now, buildingIds } = context
  return [
    {
      userId: before.user_id,
      isForGuest: isForGuest(details),
      facts: rules,
      span,
      now,
      buildingIds,
      bookingId: before.id,
      isAdded: !isCountedThere(before, rules),
    },
  ]
}

function isCountedThere({ type, ...before }: CurrentBooking, { bookable, countedIn }: RuleFacts) {
  const ids = {
    bookables: before.bookable_id,
    locations: before.location_id,
    buildings: before.building_id,
  }
  return type === bookable.type && ids[countedIn.column] === countedIn.id
}

/** Saves all changes at once or, if one of the new bookables is not free, one after another. */
async function saveAllChanges(connection: Connection, kept: AllowedBooking[]): Promise<Decisions> {
  const [first, ...others] = kept
  if (!first) return new Map()
  try {
    // A savepoint is needed: a violated constraint would abort the transaction before the conflict can be read.
    const [, saved] = await sendPipelined(
      connection,
      () => connection.query('SAVEPOINT saved'),
      () => updateBookings(connection, kept.map(toChangedBooking)),
    )
    return new Map(saved.map((each, index) => [kept[index]?.change ?? first.change, each]))
  } catch (error) {
    const refusal = findConstraintRefusal(error)
    if (!refusal) throw error
    await connection.query('ROLLBACK TO SAVEPOINT saved')
    if (others.length === 0)
      return new Map([[first.change, (await findChangeConflict(connection, first.change)) ?? refusal]])
    const one = await saveAllChanges(connection, [first])
    return new Map([...one, ...(await saveAllChanges(connection, others))])
  }
}

function toChangedBooking({ change, overridden }: AllowedBooking) {
  const { before, context, bookableId, span, facts, vehicle, details } = change
  const { now } = context
  const checkIn =
    bookableId === before.bookable_id
      ? computeChangedCheckInWindow(facts.rules, before, span, now)
      : computeCheckInWindow(facts.rules, span, now)
  const values = {
    bookable_id: bookableId,
    from_time: span.from,
    to_time: span.to,
    now,
    opens: checkIn.from,
    closes: checkIn.until,
    keeps_vehicle: vehicle === undefined,
    vehicle_id: vehicle?.id ?? null,
    license_plate: vehicle?.licensePlate ?? null,
    ...details,
    exclusive: before.exclusive,
    overridden: overridden.join(',') || null,
  }
  return { id: before.id, context, values }
}

function findChangeConflict(
  connection: Connection,
  { before, bookableId, span, vehicle, context }: BookingChange,
) {
  const { id, user_id, vehicle_id } = before
  const hasVehicle = vehicle === undefined ? vehicle_id !== null : vehicle !== null
  return findConflict(
    connection,
    { bookable_id: bookableId, user_id, hasVehicle, now: context.now, id },
    span,
  )
}
