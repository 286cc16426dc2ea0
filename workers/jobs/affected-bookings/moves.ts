// Moves claims to free nearby bookables of the same type, one by one, each with the checks of a new claim.
// All claims and targets are locked, so that no other write takes a target meanwhile.
import { auditEach, type ChangedRow } from '../../../shared/audit/audit.ts'
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import { Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { rulesAllow } from '../../../shared/rules/rule-conditions.ts'
import { distanceSql } from '../../../shared/schemas/distance.ts'
import { rawConnection } from '../../runtime/connection.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { refuseUnbookable } from '../claims/checks.ts'
import { type ClaimInTheWay, readFormerOfClaims } from '../claims/claims.ts'
import type { OpenSpan } from '../claims/conflicts.ts'
import { lockBookingFacts } from '../claims/facts.ts'
import type { RuleFacts } from '../claims/rule-facts.ts'
import { setCheckIns } from '../events/check-ins.ts'
import { refuseUnbookableRooms } from '../events/rooms.ts'
import { countsBookings, findBrokenRules } from '../rules/broken-rules.ts'
import { type CheckInWindow, checkInWindow, NO_CHECK_IN } from '../rules/check-in-windows.ts'
import { findBrokenCounts, lockUserBookings } from '../rules/counted-rules.ts'
import { type Overridable, throwUnlessOverridden, withOverridden } from '../rules/overrides.ts'

// The first candidate is nearly always right: SQL only ignores the rules that count bookings.
const CANDIDATES_MAX = 5
const ACTIONS = [
  ['bookings', 'bookings.move'],
  ['events', 'events.move-room'],
] as const

/** A claim without another place; `rule` is the rule that would be broken where there is room. */
export type LeftClaim = { claim: ClaimInTheWay; rule?: Refusal | undefined }

type Moving = { targets: number[]; overridesRules: boolean }

/** Returns the claims that found no other place. */
export async function moveClaims(
  trx: Transaction,
  { claims, ...moving }: Moving & { claims: ClaimInTheWay[] },
  context: WorkContext,
): Promise<LeftClaim[]> {
  if (moving.targets.length === 0) return claims.map((claim) => ({ claim }))
  const users = claims.map(({ user_id }) => user_id)
  await lockUserBookings(await rawConnection(trx), users)
  const former = await readFormerOfClaims(trx, claims)
  const moved: Array<{ claim: ClaimInTheWay; after: unknown }> = []
  const left: LeftClaim[] = []
  for (const claim of claims) {
    const { after, rule } = await moveClaim(trx, claim, moving, context)
    if (after === undefined) left.push({ claim, rule })
    else moved.push({ claim, after })
  }
  for (const [resource, action] of ACTIONS) {
    const own = moved.filter(({ claim }) => (claim.event_id === null) === (resource === 'bookings'))
    const changes: ChangedRow[] = own.map(({ claim, after }) => {
      return { id: claim.event_id ?? claim.id, before: claim.row, after }
    })
    await auditEach(trx, context, { action, resource }, former[resource], changes)
  }
  return left
}

type Moved = { after?: unknown; rule?: Refusal | undefined }

/** Returns the moved row, or else the first rule that forbids it. Tries targets that break no rule first. */
async function moveClaim(
  trx: Transaction,
  claim: ClaimInTheWay,
  { targets, overridesRules }: Moving,
  context: WorkContext,
): Promise<Moved> {
  let rule: Refusal | undefined
  for (const keepsRules of [true, false]) {
    const asked = { overrides_rules: !keepsRules && overridesRules }
    for (const target of await findCandidates(trx, claim, { targets, keepsRules }, context)) {
      const checked = await checkTarget(trx, claim, { target, ...asked }, context)
      if (checked instanceof Refusal) rule ??= checked
      else if (checked) return { after: await setBookable(trx, claim, target, checked, context) }
    }
  }
  return { rule }
}

type Target = Overridable & { target: number }
type Allowed = { window: CheckInWindow; overridden: RefusalCode[] }

/** A refusal if a rule forbids it; undefined if it cannot be booked at all. */
async function checkTarget(
  trx: Transaction,
  claim: ClaimInTheWay,
  target: Target,
  context: WorkContext,
): Promise<Allowed | Refusal | undefined> {
  try {
    if (claim.event_id === null) return await checkBooking(trx, claim, target, context)
    const { user_id: organizerId, from, to } = claim
    if (to === null) return undefined
    const { overrides_rules } = target
    const meeting = { organizerId, span: { from, to }, overrides_rules }
    const overridden = await refuseUnbookableRooms(trx, [target.target], meeting, context)
    return { window: NO_CHECK_IN, overridden }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

async function checkBooking(
  trx: Transaction,
  claim: ClaimInTheWay,
  { target, ...overridable }: Target,
  { now, buildingIds }: WorkContext,
): Promise<Allowed | undefined> {
  const connection = await rawConnection(trx)
  const subject = { bookable_id: target, user_id: claim.user_id, user_vehicle_id: claim.vehicle_id }
  const facts = onlyRow(await lockBookingFacts(connection, [subject]))
  const { bookable, user, vehicle, rules } = facts
  if (!bookable || !user || (bookable.requiresVehicle && !vehicle)) return undefined
  refuseUnbookable(bookable)
  const span: OpenSpan = { from: claim.from, to: claim.to }
  const broken = findBrokenRules(rules, span, now)
  if (rules && countsBookings(rules.rules)) {
    const isCounted = await isCountedThere(trx, claim, rules)
    const { user_id: userId, isForGuest } = claim
    // If it is counted there already, it adds nothing. It never conflicts with itself.
    const own = { bookingId: claim.id, isAdded: !isCounted, buildingIds }
    const counted = { ...own, userId, isForGuest, facts: rules, span, now }
    broken.push(...(await findBrokenCounts(connection, counted)))
  }
  return { window: checkInWindow(rules, span, now), overridden: throwUnlessOverridden(broken, overridable) }
}

async function isCountedThere(
  trx: Transaction,
  { bookable_id }: ClaimInTheWay,
  { countedIn }: RuleFacts,
): Promise<boolean> {
  const column = { bookables: 'bookables.id', locations: 'locations.id', buildings: 'locations.building_id' }
  const { rows } = await trx.raw(
    `SELECT FROM bookables JOIN locations ON locations.id = bookables.location_id
     WHERE bookables.id = ? AND ${column[countedIn.column]} = ?`,
    [bookable_id, countedIn.id],
  )
  return rows.length > 0
}

// No smaller than the present bookable, as with alternatives; the nearest first.
async function findCandidates(
  trx: Transaction,
  claim: ClaimInTheWay,
  { targets, keepsRules }: { targets: number[]; keepsRules: boolean },
  { now }: WorkContext,
): Promise<number[]> {
  const { flexible, assigned } = BOOKABLE_STATUSES
  const { rows } = await trx.raw(
    `SELECT bookables.id
     FROM bookables wanted
     JOIN locations present ON present.id = wanted.location_id
     JOIN bookables ON bookables.id = ANY(CAST(:targets AS bigint[])) AND bookables.type = wanted.type
     JOIN locations ON locations.id = bookables.location_id AND locations.building_id = present.building_id
     JOIN buildings ON buildings.id = locations.building_id
     WHERE wanted.id = :bookable_id AND bookables.deleted_at IS NULL
       AND coalesce(bookables.capacity, 0) >= coalesce(wanted.capacity, 0)
       AND (NOT bookables.requires_vehicle OR CAST(:vehicle_id AS bigint) IS NOT NULL)
       AND (bookables.status = ${flexible} OR bookables.status = ${assigned} AND EXISTS (
         SELECT FROM bookable_assignees
         WHERE bookable_assignees.bookable_id = bookables.id AND bookable_assignees.user_id = :user_id
       ))
       ${keepsRules ? `AND ${rulesAllow({ user: ':user_id', from: ':from', to: ':to', now: ':now' })}` : ''}
       AND NOT EXISTS (
         SELECT FROM bookings WHERE bookings.bookable_id = bookables.id
           AND (bookings.exclusive OR bookings.event_id = CAST(:event_id AS bigint))
           AND bookings.during && tstzrange(:from, :to)
       )
     ORDER BY ${distanceSql('wanted', 'bookables', 'present')}, bookables.id
     LIMIT ${CANDIDATES_MAX}`,
    { ...pick(claim), targets, ...(keepsRules ? { now } : {}) },
  )
  return rows.map(({ id }: { id: number }) => id)
}

const pick = ({ bookable_id, user_id, vehicle_id, event_id, from, to }: ClaimInTheWay) => {
  return { bookable_id, user_id, vehicle_id, event_id, from, to }
}

async function setBookable(
  trx: Transaction,
  { id, event_id, user_id: organizerId, from, to }: ClaimInTheWay,
  target: number,
  { window: { from: opens, until }, overridden }: Allowed,
  context: WorkContext,
): Promise<unknown> {
  await trx.raw(
    'UPDATE bookings SET bookable_id = ?, check_in_from = ?, check_in_until = ?, updated_at = now() WHERE id = ?',
    [target, opens, until, id],
  )
  if (event_id !== null && to !== null) {
    await setCheckIns(trx, [target], { eventId: event_id, organizerId, span: { from, to } }, context)
  }
  const { rows } = await trx.raw('SELECT to_jsonb(bookings) AS row FROM bookings WHERE id = ?', [id])
  return withOverridden(onlyRow<{ row: unknown }>(rows).row, overridden)
}
