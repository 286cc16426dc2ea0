// Finds and locks the claims that an administrator's change affects. Until the transaction ends, no other write can
// change these claims or add new ones. This file takes all the locks, in the order of docs/decisions/0005.
import {
  type AffectedTimes,
  affectedClaimsSql,
  formatMultirange,
} from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { spanColumns, timestampText } from '../../../shared/schemas/json.ts'
import { distanceSql } from '../../../shared/schemas/ordering.ts'
import type { Write } from '../../runtime/write.ts'
import { formatBookingCount } from '../rows/rows.ts'
import { lockClaims } from './locks.ts'

/** The bookables that become unavailable, the times at which they are unavailable, and the users who may keep
 * their claims. If `bookedBefore` is set, only claims from before that time are affected. */
export type AffectedClaimSearch = {
  ids: number[]
  times: AffectedTimes
  keptUsers?: number[] | undefined
  bookedBefore?: string
}

export type AffectedClaim = {
  id: number
  bookable_id: number
  bookable: string
  event_id: number | null
  /** The id of the booking's user, or of the event's organizer. */
  user_id: number
  vehicle_id: number | null
  isForGuest: boolean
  from: string
  to: string | null
  /** The instant from which the claim is affected. */
  affectedFrom: string
  row: unknown
}

export const CLAIMS_MAX = 1_000
const MOVES_MAX = 300
const TARGETS_MAX = 500
// How many more targets than claims are locked, because rules refuse some of the targets.
const SPARE_TARGETS = 20

const AFFECTED_CLAIMS_SQL = `${affectedClaimsSql({ ids: ':ids', times: ':times', exemptUserIds: ':keptUsers' })}
    AND claims.created_at <= CAST(:bookedBefore AS timestamptz)`

type LockedClaims = { claims: AffectedClaim[]; targets: number[] }

/**
 * Locks the affected claims. If the claims are to be moved, `targets` are nearby bookables that are free for some of
 * them.
 */
export async function lockAffectedClaims(
  write: Write,
  search: AffectedClaimSearch,
  isMoving: boolean,
): Promise<LockedClaims> {
  const found = await findClaims(write, search, CLAIMS_MAX + 1)
  refuseTooManyClaims(found.length, isMoving)
  const eventIds = await lockEvents(write, found)
  const targets = isMoving ? await findTargets(write, search, found) : []
  const held = found.map(({ bookable_id }) => bookable_id)
  const claimed = new Set([...(search.ids.length > CLAIMS_MAX ? [] : search.ids), ...held])
  await lockClaims(write, [...claimed, ...targets])
  await lockBookableRows(write, [...search.ids, ...targets])
  const claims = await lockBookings(write, search)
  refuseTooManyClaims(claims.length, isMoving)
  const isLocked = ({ bookable_id, event_id }: AffectedClaim) =>
    claimed.has(bookable_id) && (event_id === null || eventIds.includes(event_id))
  if (claims.every(isLocked)) return { claims, targets }
  throw new Refusal('in_use', message`Others are booking here right now. Nothing was changed; try again.`)
}

/**
 * Locks some of the claims on bookables that can no longer be booked, so that no new claims appear. `found` is the
 * number of claims found, some of which may be gone when they are locked.
 */
export async function lockPieceOfClaims(write: Write, search: AffectedClaimSearch, limit: number) {
  const found = await findClaims(write, search, limit)
  const eventIds = await lockEvents(write, found)
  const held = found.map(({ bookable_id }) => bookable_id)
  await lockClaims(write, held)
  const ids = found.map(({ id }) => id)
  const locked = await lockBookings(write, { ...search, ids: held }, ids)
  const claims = locked.filter(({ event_id }) => event_id === null || eventIds.includes(event_id))
  return { found: found.length, claims }
}

export async function countClaims(write: Write, search: AffectedClaimSearch): Promise<number> {
  const count = `SELECT count(*)::int AS number FROM (${AFFECTED_CLAIMS_SQL}) AS claims`
  return (await write.only<{ number: number }>(count, createBindings(write, search))).number
}

function refuseTooManyClaims(number: number, isMoving: boolean): void {
  const max = isMoving ? MOVES_MAX : CLAIMS_MAX
  if (number <= max) return
  const most = formatBookingCount(max)
  throw new Refusal(
    'in_use',
    isMoving
      ? message`More than ${most} or meetings conflict with this, which is too many to move at once. Nothing was changed.`
      : message`More than ${most} or meetings conflict with this, which is too many to release at once. Nothing was changed.`,
  )
}

type FoundClaim = { id: number; bookable_id: number; event_id: number | null }

function findClaims(write: Write, search: AffectedClaimSearch, limit: number): Promise<FoundClaim[]> {
  return write.all(
    `SELECT id, bookable_id, event_id FROM bookings WHERE id IN (${AFFECTED_CLAIMS_SQL}) ORDER BY id LIMIT :limit`,
    { ...createBindings(write, search), limit },
  )
}

function createBindings(
  { now }: Write,
  { times, keptUsers = [], bookedBefore = 'infinity', ids }: AffectedClaimSearch,
) {
  return { ids, times: formatMultirange(times, now), keptUsers, bookedBefore }
}

async function lockEvents(write: Write, found: FoundClaim[]): Promise<number[]> {
  const ids = found.flatMap(({ event_id }) => event_id ?? [])
  await write.run('SELECT FROM events WHERE id = ANY(?::bigint[]) ORDER BY id FOR UPDATE', [ids])
  return ids
}

// Locks bookables against changes and against new claims. Writes that add a claim lock the bookable FOR SHARE.
export async function lockBookableRows(write: Write, ids: number[]): Promise<void> {
  await write.run('SELECT FROM bookables WHERE id = ANY(?::bigint[]) ORDER BY id FOR NO KEY UPDATE', [ids])
}

// Locks the bookings in a separate statement: a statement that has waited for a locked row still sees all
// other rows as they were before.
async function lockBookings(write: Write, search: AffectedClaimSearch, only: number[] | null = null) {
  const bindings = { ...createBindings(write, search), only }
  const isWanted = `bookings.id IN (${AFFECTED_CLAIMS_SQL})
    AND (CAST(:only AS bigint[]) IS NULL OR bookings.id = ANY(CAST(:only AS bigint[])))`
  await write.run(`SELECT FROM bookings WHERE ${isWanted} ORDER BY id FOR UPDATE`, bindings)
  const overlap = 'tstzmultirange(bookings.during) * CAST(:times AS tstzmultirange)'
  return write.all<AffectedClaim>(
    `SELECT bookings.id, bookings.bookable_id, bookables.name AS bookable, bookings.event_id,
       coalesce(bookings.user_id, events.organizer_user_id) AS user_id, bookings.vehicle_id,
       bookings.guest_name IS NOT NULL OR bookings.guest_email IS NOT NULL AS "isForGuest",
       ${spanColumns('bookings')}, ${timestampText(`lower(${overlap})`)} AS "affectedFrom", to_jsonb(bookings) AS row
     FROM bookings
     JOIN bookables ON bookables.id = bookings.bookable_id
     LEFT JOIN events ON events.id = bookings.event_id
     WHERE ${isWanted}
     ORDER BY lower(bookings.during), bookings.id LIMIT ${CLAIMS_MAX + 1}`,
    bindings,
  )
}

// Finds the nearest bookables in the same building. Because of OFFSET 0, Postgres checks in this order whether a
// bookable is free for any of the claims, and stops when there are enough.
function findTargets(write: Write, { ids }: AffectedClaimSearch, found: FoundClaim[]): Promise<number[]> {
  return write.ids(
    `WITH held AS MATERIALIZED (
       SELECT bookings.bookable_id, bookings.during, bookables.type, bookables.location_id, locations.building_id,
         bookables.position_x, bookables.position_y
       FROM bookings
       JOIN bookables ON bookables.id = bookings.bookable_id
       JOIN locations ON locations.id = bookables.location_id
       WHERE bookings.id = ANY(CAST(:claims AS bigint[]))
     ), wanted AS MATERIALIZED (
       SELECT DISTINCT bookable_id AS id, type, location_id, building_id, position_x, position_y FROM held
     )
     SELECT near.id
     FROM (
       SELECT other.id, other.type, locations.building_id, nearest.distance
       FROM bookables other
       JOIN locations ON locations.id = other.location_id
       CROSS JOIN LATERAL (
         SELECT min(${distanceSql('wanted', 'other', 'plan')}) AS distance
         FROM wanted JOIN locations plan ON plan.id = wanted.location_id
         WHERE wanted.building_id = locations.building_id AND wanted.type = other.type
       ) AS nearest
       WHERE nearest.distance IS NOT NULL AND other.deleted_at IS NULL AND other.status <> ${BOOKABLE_STATUSES.blocked}
         AND other.id <> ALL(CAST(:ids AS bigint[]))
         AND locations.building_id IN (SELECT building_id FROM wanted)
       ORDER BY nearest.distance, other.id OFFSET 0
     ) AS near
     WHERE EXISTS (
       SELECT FROM held
       WHERE held.type = near.type AND held.building_id = near.building_id AND NOT EXISTS (
         SELECT FROM bookings
         WHERE bookings.bookable_id = near.id AND bookings.exclusive AND bookings.during && held.during
       )
     )
     ORDER BY near.distance, near.id
     LIMIT :limit`,
    {
      ids,
      claims: found.map(({ id }) => id),
      limit: Math.min(TARGETS_MAX, SPARE_TARGETS + 3 * found.length),
    },
  )
}
