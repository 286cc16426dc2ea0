// Saves bookings at another time or on another bookable, as many as come together, if the rules allow it. The exclusion
// constraint decides whether there is room.

import { bookingDetailsText, writtenBookingJson } from '../../../shared/bookings/bookings-shape.ts'
import { Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { findBrokenRules, type RuleFacts } from '../../../shared/rules/broken-rules.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import { type Connection, pipelined } from '../../runtime/connection.ts'
import { constraintRefusal } from '../../runtime/refusals.ts'
import { refusalBy, type WriteContext } from '../../runtime/write.ts'
import { findConflict, type OpenTimeRange } from '../claims/conflicts.ts'
import type { BookingFacts, Vehicle } from '../claims/facts.ts'
import { changedCheckInWindow, checkInWindow } from '../rules/check-in-windows.ts'
import {
  type Counted,
  countsBookings,
  findBrokenCounts,
  findUserBookings,
  lockUserBookings,
  type Overridable,
  throwUnlessOverridden,
} from '../rules/enforce-rules.ts'
import { type BookingDetails, isForGuest, type Present } from './present-bookings.ts'
import { BASE_URL, prepareChange } from './record-bookings.ts'

export type Change = {
  context: WriteContext
  before: Present
  bookableId: number
  span: OpenTimeRange
  facts: BookingFacts
  /** Undefined keeps the present vehicle; null clears it. */
  vehicle: Vehicle | null | undefined
  details: BookingDetails
  /** Without it, the rules are not checked. */
  overridable: Overridable | undefined
}

/** A new start in the future needs a new check-in. Updated in the order in which new bookings are inserted. */
const update = prepareChange('update-bookings', {
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
  reply: dataText(writtenBookingJson(BASE_URL)),
  body: bookingDetailsText(BASE_URL),
  // saveTogether has changed it already.
  auditedBefore: `to_jsonb(bookings) || jsonb_build_object('exclusive', asked.exclusive)`,
  audited: `CASE WHEN overridden IS NULL THEN to_jsonb(bookings)
    ELSE to_jsonb(bookings) || jsonb_build_object('overridden_rules', string_to_array(overridden, ',')) END`,
})

export type Saved = Awaited<ReturnType<typeof update>>[number]
type Decisions = Map<Change, Saved | Refusal>

/** The caller holds the claim locks of both bookables of each. Results are in the order of the changes. */
export async function saveBookings(
  connection: Connection,
  changes: Change[],
): Promise<Array<Saved | Refusal>> {
  const decisions: Decisions = new Map()
  const users = changes.filter(isCounted).map(({ before }) => before.user_id)
  if (users.length > 0) await lockUserBookings(connection, users)
  for (let open = changes; open.length > 0; open = open.filter((change) => !decisions.has(change))) {
    const { kept, refused } = await checkRules(connection, open.filter(isFirstOfUser))
    for (const [change, decision] of [...refused, ...(await saveAll(connection, kept))])
      decisions.set(change, decision)
  }
  return changes.flatMap((change) => decisions.get(change) ?? [])
}

/**
 * Saves all of them or none, even if they take each other's place: meanwhile they exclude no others, which `update`
 * ends.
 */
export async function saveTogether(connection: Connection, changes: Change[]): Promise<Saved[]> {
  await connection.query({
    name: 'exclude-none',
    text: 'UPDATE bookings SET exclusive = false WHERE id = ANY($1::bigint[])',
    values: [changes.map(({ before }) => before.id)],
  })
  return (await saveBookings(connection, changes)).map((each) => {
    if (each instanceof Refusal) throw each
    return each
  })
}

/** Of one user whose bookings are counted, each change is checked after the one before it is saved. */
const isFirstOfUser = (change: Change, index: number, changes: Change[]) =>
  !isCounted(change) ||
  changes.findIndex((each) => isCounted(each) && each.before.user_id === change.before.user_id) === index

const isCounted = ({ overridable, facts }: Change) =>
  Boolean(overridable && facts.rules && countsBookings(facts.rules.rules))

type Kept = { change: Change; overridden: RefusalCode[] }

async function checkRules(connection: Connection, changes: Change[]) {
  const counted = changes.filter(isCounted)
  const found = await findUserBookings(connection, counted.flatMap(countedOf))
  const kept: Kept[] = []
  const refused: Decisions = new Map()
  for (const change of changes) {
    const { facts, overridable, span, context } = change
    const overridden = refusalBy(() => {
      if (!overridable) return []
      const broken = findBrokenRules(facts.rules, span, context.now)
      const has = found[counted.indexOf(change)]
      const [asked] = countedOf(change)
      return throwUnlessOverridden(
        [...broken, ...(has && asked ? findBrokenCounts(asked, has) : [])],
        overridable,
      )
    })
    if (overridden instanceof Refusal) refused.set(change, overridden)
    else kept.push({ change, overridden })
  }
  return { kept, refused }
}

// A booking is not counted against itself.
function countedOf({ before, details, facts: { rules }, span, context }: Change): Counted[] {
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

function isCountedThere({ type, ...before }: Present, { bookable, countedIn }: RuleFacts) {
  const ids = {
    bookables: before.bookable_id,
    locations: before.location_id,
    buildings: before.building_id,
  }
  return type === bookable.type && ids[countedIn.column] === countedIn.id
}

/** All at once, or if one of them has no room, one after another. */
async function saveAll(connection: Connection, kept: Kept[]): Promise<Decisions> {
  const [first, ...others] = kept
  if (!first) return new Map()
  try {
    // A broken constraint would abort the transaction before the conflict can be read.
    const [, saved] = await pipelined(
      connection,
      () => connection.query('SAVEPOINT saved'),
      () => update(connection, kept.map(changedOf)),
    )
    return new Map(saved.map((each, index) => [kept[index]?.change ?? first.change, each]))
  } catch (error) {
    const refusal = constraintRefusal(error)
    if (!refusal) throw error
    await connection.query('ROLLBACK TO SAVEPOINT saved')
    if (others.length === 0)
      return new Map([[first.change, (await findConflictOf(connection, first.change)) ?? refusal]])
    const one = await saveAll(connection, [first])
    return new Map([...one, ...(await saveAll(connection, others))])
  }
}

function changedOf({ change, overridden }: Kept) {
  const { before, context, bookableId, span, facts, vehicle, details } = change
  const { now } = context
  const checkIn =
    bookableId === before.bookable_id
      ? changedCheckInWindow(facts.rules, before, span, now)
      : checkInWindow(facts.rules, span, now)
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

function findConflictOf(connection: Connection, { before, bookableId, span, vehicle, context }: Change) {
  const { id, user_id, vehicle_id } = before
  const hasVehicle = vehicle === undefined ? vehicle_id !== null : vehicle !== null
  return findConflict(
    connection,
    { bookable_id: bookableId, user_id, hasVehicle, now: context.now, id },
    span,
  )
}
