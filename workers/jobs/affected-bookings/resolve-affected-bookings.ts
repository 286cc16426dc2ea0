// Before an administrator blocks, assigns, deletes or closes something, the affected claims are moved, released or
// left, as chosen, in the same transaction: all or none. Only a long release is a separate job. Claims move to free
// nearby bookables of the same type, one by one, each with the checks of a new claim; all claims and targets are
// locked, so that no other write takes a target meanwhile.

import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { counted, joinMessages, listNames, type Message, message } from '../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import {
  type AffectedBookingsInput,
  moveOptions,
  type Resolution,
} from '../../../shared/rules/affected-bookings-input.ts'
import type { RuleFacts } from '../../../shared/rules/broken-rules.ts'
import { rulesAllow } from '../../../shared/rules/rules-shape.ts'
import { distanceSql } from '../../../shared/schemas/ordering.ts'
import type { AuditedRow, Write } from '../../runtime/write.ts'
import { refuseUnbookable } from '../claims/checks.ts'
import { auditClaims, readFormerOfClaims } from '../claims/claim-changes.ts'
import { type AffectedClaim, type AffectedSearch, lockAffectedClaims } from '../claims/claims.ts'
import { lockFacts } from '../claims/facts.ts'
import { releaseHolds } from '../claims/holds.ts'
import { releaseClaims, releaseLater } from '../claims/releases.ts'
import { eventRules, refuseUnbookableRooms } from '../events/rooms.ts'
import { countBookings } from '../rows/rows.ts'
import { type CheckInWindow, checkInWindow } from '../rules/check-in-windows.ts'
import { enforceRules, lockUserBookings, type Overridable, withOverridden } from '../rules/enforce-rules.ts'

const NAMES_SHOWN_MAX = 3
const LISTED_MAX = 100

/** The first step of a write: it locks claims. `isResolved` is false if an accepted job does the release. */
export async function resolveAffectedBookings(
  write: Write,
  search: AffectedSearch,
  { in_the_way: resolution, release_id }: AffectedBookingsInput,
): Promise<{ isResolved: boolean }> {
  const isAhead = search.times.some(({ to }) => to === null || to > write.now)
  if (search.ids.length === 0 || !isAhead) return { isResolved: true }
  // Bookings may stay there, but nothing can be booked any more.
  await releaseHolds(write, search)
  if (resolution === undefined || resolution === 'leave') return { isResolved: true }
  if (resolution === 'release' && release_id && (await releaseLater(write, search, release_id)))
    return { isResolved: false }
  await resolveAtOnce(write, search, resolution)
  return { isResolved: true }
}

async function resolveAtOnce(write: Write, search: AffectedSearch, resolution: Exclude<Resolution, 'leave'>) {
  const moves = moveOptions(resolution)
  const { claims, targets } = await lockAffectedClaims(write, search, moves !== undefined)
  if (claims.length === 0) return
  if (resolution === 'ask') throw choiceNeeded(claims)
  const left = moves ? await moveClaims(write, { claims, targets, ...moves }) : undefined
  if (left && left.length > 0 && !moves?.releasesRest) throw withoutPlace(left)
  await releaseClaims(write, left?.map(({ claim }) => claim) ?? claims, search.times)
}

function choiceNeeded(claims: AffectedClaim[]): Refusal {
  const detail = counted(
    claims.length,
    '# booking is in the way, meetings included: {0}. Nothing was changed yet.',
    '# bookings are in the way, meetings included: {0}. Nothing was changed yet.',
    namesOf(claims),
  )
  return new Refusal('in_use', detail, { members: listed(claims) })
}

/** Never whose they are: who may change places may not see users. */
function listed(claims: AffectedClaim[]) {
  const first = claims.slice(0, LISTED_MAX).map(({ id, event_id, bookable_id, from, to }) => ({
    type: event_id === null ? 'booking' : 'event',
    id: event_id ?? id,
    bookable_id,
    from,
    to,
  }))
  return { in_the_way: first }
}

// Only a forbidding rule can be overridden, so those claims are named separately from claims without room.
function withoutPlace(left: LeftClaim[]): Refusal {
  const forbidden = left.filter(({ rule }) => rule !== undefined)
  const crowded = left.filter(({ rule }) => rule === undefined)
  const names = (some: LeftClaim[]) => namesOf(some.map(({ claim }) => claim))
  const sentences: Message[] = [message`Nothing was changed.`]
  const rule = forbidden[0]?.rule
  if (rule)
    sentences.unshift(
      message`A rule forbids moving ${countBookings(forbidden.length)} of ${names(forbidden)}: ${rule.detail}`,
    )
  if (crowded.length > 0)
    sentences.unshift(
      message`Nothing of the same type is free near by for ${countBookings(crowded.length)} of ${names(crowded)}.`,
    )
  return new Refusal('in_use', joinMessages(sentences), { members: listed(left.map(({ claim }) => claim)) })
}

const namesOf = (claims: AffectedClaim[]) =>
  listNames([...new Set(claims.map(({ bookable }) => bookable))], NAMES_SHOWN_MAX)

// The first candidate is nearly always right: SQL only ignores the rules that count bookings.
const CANDIDATES_MAX = 5
/** A claim without another place; `rule` is the rule that would be broken where there is room. */
type LeftClaim = { claim: AffectedClaim; rule?: Refusal | undefined }

type Moving = { targets: number[]; overridesRules: boolean }

/** Returns the claims that found no other place. */
async function moveClaims(write: Write, { claims, ...moving }: Moving & { claims: AffectedClaim[] }) {
  if (moving.targets.length === 0) return claims.map((claim) => ({ claim }))
  const users = claims.map(({ user_id }) => user_id)
  await lockUserBookings(await write.connection(), users)
  const former = await readFormerOfClaims(write, claims)
  const moved: AuditedRow<unknown>[] = []
  const left: LeftClaim[] = []
  for (const claim of claims) {
    const { after, rule } = await moveClaim(write, claim, moving)
    if (after === undefined) left.push({ claim, rule })
    else moved.push({ id: claim.id, row: after })
  }
  const before = claims.filter((claim) => !left.some((each) => each.claim === claim))
  await auditClaims(write, 'move', former, { before, after: moved })
  return left
}

/** Returns the moved row, or else the first rule that forbids it. Tries targets that break no rule first. */
async function moveClaim(write: Write, claim: AffectedClaim, { targets, overridesRules }: Moving) {
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

type Target = Overridable & { target: number }
type Allowed = { window: CheckInWindow; overridden: RefusalCode[] }

/** A refusal if a rule forbids it; undefined if it cannot be booked at all. */
async function checkTarget(write: Write, claim: AffectedClaim, target: Target) {
  try {
    if (claim.event_id === null) return await checkBooking(write, claim, target)
    const { user_id: organizerId, from, to } = claim
    if (to === null) return undefined
    const { overrides_rules } = target
    const [span, { now }] = [{ from, to }, write]
    const subject = { bookable_id: target.target, user_id: organizerId, isOrganizer: true }
    const facts = await lockFacts(write, subject)
    const overridden = refuseUnbookableRooms([{ id: target.target, facts }], { span, now, overrides_rules })
    return { window: checkInWindow(eventRules(facts, span, now), span, now), overridden }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

async function checkBooking(
  write: Write,
  { id: bookingId, bookable_id, user_id: userId, vehicle_id, isForGuest, from, to }: AffectedClaim,
  { target, ...overridable }: Target,
): Promise<Allowed | undefined> {
  const subject = { bookable_id: target, user_id: userId, user_vehicle_id: vehicle_id }
  const { bookable, user, vehicle, rules: facts } = await lockFacts(write, subject)
  if (!bookable || !user || (bookable.requiresVehicle && !vehicle)) return undefined
  refuseUnbookable(bookable)
  // If it is counted there already, it adds nothing. It never conflicts with itself.
  const isAddedTo = async (rules: RuleFacts) => !(await isCountedThere(write, bookable_id, rules))
  const span = { from, to }
  const asked = { facts, userId, isForGuest, span, bookingId, isAddedTo }
  const overridden = await enforceRules(write, overridable, asked)
  return { window: checkInWindow(facts, span, write.now), overridden }
}

async function isCountedThere(write: Write, bookableId: number, { countedIn }: RuleFacts) {
  const column = { bookables: 'bookables.id', locations: 'locations.id', buildings: 'locations.building_id' }
  const rows = await write.all(
    `SELECT FROM bookables JOIN locations ON locations.id = bookables.location_id
     WHERE bookables.id = ? AND ${column[countedIn.column]} = ?`,
    [bookableId, countedIn.id],
  )
  return rows.length > 0
}

// No smaller than the present bookable, as with alternatives; the nearest first.
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
    { ...claim, targets, now: write.now },
  )
}

async function setBookable(
  write: Write,
  { id }: AffectedClaim,
  target: number,
  { window: { from: opens, until }, overridden }: Allowed,
): Promise<unknown> {
  await write.run(
    'UPDATE bookings SET bookable_id = ?, check_in_from = ?, check_in_until = ?, updated_at = now() WHERE id = ?',
    [target, opens, until, id],
  )
  const select = 'SELECT to_jsonb(bookings) AS row FROM bookings WHERE id = ?'
  const { row } = await write.only<{ row: unknown }>(select, [id])
  return withOverridden(row, overridden)
}
