// Resolves the claims that are affected when an administrator blocks, assigns, deletes or closes something. As the
// administrator chose, the claims are moved, released or left unchanged in the same transaction: all or none. Only a
// long release is a separate job. Claims move to nearby free bookables of the same type, one by one, each with the
// checks of a new claim. All claims and targets are locked, so that no other write can take a target in the meantime.

import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { isLentSql } from '../../../shared/loans/loans-shape.ts'
import {
  countedMessage,
  joinMessages,
  listNames,
  type Message,
  message,
} from '../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import {
  type AffectedBookingsInput,
  getMoveOptions,
  type Resolution,
} from '../../../shared/rules/affected-bookings-input.ts'
import type { RuleFacts } from '../../../shared/rules/broken-rules.ts'
import { rulesAllowSql } from '../../../shared/rules/rules-shape.ts'
import { distanceSql } from '../../../shared/schemas/ordering.ts'
import type { AuditedRow, Write } from '../../runtime/write.ts'
import { refuseUnbookable } from '../claims/checks.ts'
import { readFormerStates, recordClaimAudit } from '../claims/claim-changes.ts'
import { type AffectedClaim, type AffectedClaimSearch, lockAffectedClaims } from '../claims/claims.ts'
import { lockMovedClaimFacts } from '../claims/facts.ts'
import { releaseHolds } from '../claims/holds.ts'
import { releaseClaims, releaseClaimsLater } from '../claims/releases.ts'
import { refuseUnbookableRooms, selectEventRules } from '../events/rooms.ts'
import { formatBookingCount } from '../rows/rows.ts'
import { type CheckInWindow, computeCheckInWindow } from '../rules/check-in-windows.ts'
import {
  addOverriddenRules,
  enforceRules,
  type InputOverridingRules,
  lockUserBookings,
} from '../rules/enforce-rules.ts'

const NAMES_SHOWN_MAX = 3
const LISTED_CLAIMS_MAX = 100

/** Resolves the affected claims. Must run first in a write, because it locks claims. `isResolved` is false if
 * an accepted job releases the claims. */
export async function resolveAffectedBookings(
  write: Write,
  search: AffectedClaimSearch,
  { in_the_way: resolution, release_id }: AffectedBookingsInput,
): Promise<{ isResolved: boolean }> {
  const isAhead = search.times.some(({ to }) => to === null || to > write.now)
  if (search.ids.length === 0 || !isAhead) return { isResolved: true }
  // Holds are always released: existing bookings may stay, but nothing that a hold reserves can be booked any
  // more.
  await releaseHolds(write, search)
  if (resolution === undefined || resolution === 'leave') return { isResolved: true }
  if (resolution === 'release' && release_id && (await releaseClaimsLater(write, search, release_id)))
    return { isResolved: false }
  await resolveAtOnce(write, search, resolution)
  return { isResolved: true }
}

async function resolveAtOnce(
  write: Write,
  search: AffectedClaimSearch,
  resolution: Exclude<Resolution, 'leave'>,
) {
  const moves = getMoveOptions(resolution)
  const { claims, targets } = await lockAffectedClaims(write, search, moves !== undefined)
  if (claims.length === 0) return
  if (resolution === 'ask') throw createChoiceNeededRefusal(claims)
  const left = moves ? await moveClaims(write, { claims, targets, ...moves }) : undefined
  if (left && left.length > 0 && !moves?.releasesRest) throw createNoPlaceRefusal(left)
  await releaseClaims(write, left?.map(({ claim }) => claim) ?? claims, search.times)
}

function createChoiceNeededRefusal(claims: AffectedClaim[]): Refusal {
  const detail = countedMessage(
    claims.length,
    '# booking conflicts with this, including meetings: {0}. Nothing has been changed yet.',
    '# bookings conflict with this, including meetings: {0}. Nothing has been changed yet.',
    formatBookableNames(claims),
  )
  return new Refusal('in_use', detail, { members: describeClaims(claims) })
}

/** Lists claims without their users, because an administrator who may change places may not be allowed to see users. */
function describeClaims(claims: AffectedClaim[]) {
  const first = claims.slice(0, LISTED_CLAIMS_MAX).map(({ id, event_id, bookable_id, from, to }) => ({
    type: event_id === null ? 'booking' : 'event',
    id: event_id ?? id,
    bookable_id,
    from,
    to,
  }))
  return { in_the_way: first }
}

// Lists claims that a rule forbids to move separately from claims for which nothing is free, because administrators can
// only override rules.
function createNoPlaceRefusal(left: LeftClaim[]): Refusal {
  const forbidden = left.filter(({ rule }) => rule !== undefined)
  const crowded = left.filter(({ rule }) => rule === undefined)
  const names = (some: LeftClaim[]) => formatBookableNames(some.map(({ claim }) => claim))
  const sentences: Message[] = [message`Nothing was changed.`]
  const rule = forbidden[0]?.rule
  if (rule)
    sentences.unshift(
      message`A rule forbids moving ${formatBookingCount(forbidden.length)} of ${names(forbidden)}: ${rule.detail}`,
    )
  if (crowded.length > 0)
    sentences.unshift(
      message`Nothing of the same type is free nearby for ${formatBookingCount(crowded.length)} of ${names(crowded)}.`,
    )
  return new Refusal('in_use', joinMessages(sentences), {
    members: describeClaims(left.map(({ claim }) => claim)),
  })
}

const formatBookableNames = (claims: AffectedClaim[]) =>
  listNames([...new Set(claims.map(({ bookable }) => bookable))], NAMES_SHOWN_MAX)

// The limit on candidates for each claim. The first candidate almost always fits, because the SQL checks all rules
// except those that count bookings.
const CANDIDATES_MAX = 5
/** A claim that cannot be moved. If something is free but a rule forbids the move, `rule` is its refusal. */
type LeftClaim = { claim: AffectedClaim; rule?: Refusal | undefined }

type MoveOptions = { targets: number[]; overridesRules: boolean }

/** Moves claims. Returns those that cannot be moved. */
async function moveClaims(write: Write, { claims, ...moving }: MoveOptions & { claims: AffectedClaim[] }) {
  if (moving.targets.length === 0) return claims.map((claim) => ({ claim }))
  const users = claims.map(({ user_id }) => user_id)
  await lockUserBookings(await write.connection(), users)
  const former = await readFormerStates(write, claims)
  const moved: AuditedRow<unknown>[] = []
  const left: LeftClaim[] = []
  for (const claim of claims) {
    const { after, rule } = await moveClaim(write, claim, moving)
    if (after === undefined) left.push({ claim, rule })
    else moved.push({ id: claim.id, row: after })
  }
  const before = claims.filter((claim) => !left.some((each) => each.claim === claim))
  await recordClaimAudit(write, 'move', former, { before, after: moved })
  return left
}

/**
 * Moves a claim. Returns the moved row, or the refusal of the first rule that forbids the move. Tries targets that
 * break no rule first.
 */
async function moveClaim(write: Write, claim: AffectedClaim, { targets, overridesRules }: MoveOptions) {
  let rule: Refusal | undefined
  for (const keepsRules of [true, false]) {
    const asked = { overrides_rules: !keepsRules && overridesRules }
    for (const target of await findCandidates(write, claim, { targets, keepsRules })) {
      const checked = await checkTarget(write, claim, { target, ...asked })
      if (checked instanceof Refusal) rule ??= checked
      else if (checked) return { after: await setBookable(write, claim, target, checked) }
    }
  }
  return { rule }
}

type Target = InputOverridingRules & { target: number }
type AllowedMove = { window: CheckInWindow; overridden: RefusalCode[] }

/**
 * Checks whether a claim can move to a target. Returns a refusal if a rule forbids the move, and undefined if the
 * target cannot be booked at all.
 */
async function checkTarget(write: Write, claim: AffectedClaim, target: Target) {
  try {
    if (claim.event_id === null) return await checkBooking(write, claim, target)
    const { user_id: organizerId, from, to } = claim
    if (to === null) return undefined
    const { overrides_rules } = target
    const [span, { now }] = [{ from, to }, write]
    const subject = { bookable_id: target.target, user_id: organizerId, includesDeactivated: true }
    const facts = await lockMovedClaimFacts(write, subject)
    const overridden = refuseUnbookableRooms([{ id: target.target, facts }], { span, now, overrides_rules })
    return { window: computeCheckInWindow(selectEventRules(facts, span, now), span, now), overridden }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

async function checkBooking(
  write: Write,
  { id: bookingId, bookable_id, user_id: userId, vehicle_id, isForGuest, from, to }: AffectedClaim,
  { target, ...overridable }: Target,
): Promise<AllowedMove | undefined> {
  const subject = { bookable_id: target, user_id: userId, user_vehicle_id: vehicle_id }
  const { bookable, user, vehicle, rules: facts } = await lockMovedClaimFacts(write, subject)
  if (!bookable || !user || (bookable.requiresVehicle && !vehicle)) return undefined
  refuseUnbookable(bookable, { from, to })
  // A claim that already counts towards the limit of the target's place adds nothing to the count. A claim never
  // conflicts with itself.
  const isAddedTo = async (rules: RuleFacts) => !(await isCountedAtTarget(write, bookable_id, rules))
  const span = { from, to }
  const asked = { facts, userId, isForGuest, span, bookingId, isAddedTo }
  const overridden = await enforceRules(write, overridable, asked)
  return { window: computeCheckInWindow(facts, span, write.now), overridden }
}

async function isCountedAtTarget(write: Write, bookableId: number, { countedIn }: RuleFacts) {
  const column = { bookables: 'bookables.id', locations: 'locations.id', buildings: 'locations.building_id' }
  const rows = await write.all(
    `SELECT FROM bookables JOIN locations ON locations.id = bookables.location_id
     WHERE bookables.id = ? AND ${column[countedIn.column]} = ?`,
    [bookableId, countedIn.id],
  )
  return rows.length > 0
}

// Finds candidates that are at least as large as the current bookable, like the alternatives that a refused booking
// lists. The nearest come first.
async function findCandidates(
  write: Write,
  claim: AffectedClaim,
  { targets, keepsRules }: { targets: number[]; keepsRules: boolean },
): Promise<number[]> {
  const { flexible, assigned } = BOOKABLE_STATUSES
  return write.ids(
    `SELECT bookables.id
     FROM bookables wanted
     JOIN locations present ON present.id = wanted.location_id
     JOIN bookables ON bookables.id = ANY(CAST(:targets AS bigint[])) AND bookables.type = wanted.type
     JOIN locations ON locations.id = bookables.location_id AND locations.building_id = present.building_id
     JOIN buildings ON buildings.id = locations.building_id
     WHERE wanted.id = :bookable_id AND bookables.deleted_at IS NULL
       AND coalesce(bookables.capacity, 0) >= coalesce(wanted.capacity, 0)
       AND (NOT bookables.requires_vehicle OR CAST(:vehicle_id AS bigint) IS NOT NULL)
       AND (bookables.status = ${flexible} OR bookables.status = ${assigned} AND (EXISTS (
         SELECT FROM bookable_assignees
         WHERE bookable_assignees.bookable_id = bookables.id AND bookable_assignees.user_id = :user_id
       ) OR ${isLentSql('bookables.id', 'CAST(:from AS timestamptz)', 'CAST(:to AS timestamptz)')}))
       ${keepsRules ? `AND ${rulesAllowSql({ user: ':user_id', from: ':from', to: ':to', now: ':now' })}` : ''}
       AND NOT EXISTS (
         SELECT FROM bookings WHERE bookings.bookable_id = bookables.id
           AND (bookings.exclusive OR bookings.event_id = CAST(:event_id AS bigint))
           AND bookings.during && tstzrange(:from, :to)
       )
     ORDER BY ${distanceSql('wanted', 'bookables', 'present')}, bookables.id
     LIMIT ${CANDIDATES_MAX}`,
    { ...claim, targets, now: write.now },
  )
}

async function setBookable(
  write: Write,
  { id }: AffectedClaim,
  target: number,
  { window: { from: opens, until }, overridden }: AllowedMove,
): Promise<unknown> {
  await write.run(
    'UPDATE bookings SET bookable_id = ?, check_in_from = ?, check_in_until = ?, updated_at = now() WHERE id = ?',
    [target, opens, until, id],
  )
  const select = 'SELECT to_jsonb(bookings) AS row FROM bookings WHERE id = ?'
  const { row } = await write.only<{ row: unknown }>(select, [id])
  return addOverriddenRules(row, overridden)
}
