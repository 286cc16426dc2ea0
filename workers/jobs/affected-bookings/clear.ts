// Before an administrator blocks, assigns, deletes or closes something, the claims in the way are moved,
// released or left, as chosen, in the same transaction: all or none. Only a long release is a separate job.
import { counted, joinMessages, listNames, type Message, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { type ConflictInput, moveOptions, type Resolution } from '../../../shared/rules/in-the-way.ts'
import type { Write } from '../../runtime/write.ts'
import { type ClaimInTheWay, type ConflictSearch, lockInTheWay } from '../claims/claims.ts'
import { releaseClaims, releaseLater } from '../claims/releases.ts'
import { countBookings } from '../kit/rows.ts'
import { type LeftClaim, moveClaims } from './moves.ts'

const NAMES_SHOWN_MAX = 3

/**
 * Must be the first step of a write, because it locks claims and bookables. `isCleared` is false if an
 * accepted job does the release.
 */
export async function clearTheWay(
  write: Write,
  search: ConflictSearch,
  { in_the_way: resolution, release_id }: ConflictInput,
): Promise<{ isCleared: boolean }> {
  const isAhead = search.times.some(({ to }) => to === null || to > write.now)
  if (resolution === undefined || resolution === 'leave' || search.ids.length === 0 || !isAhead)
    return { isCleared: true }
  if (resolution === 'release' && release_id && (await releaseLater(write, search, release_id)))
    return { isCleared: false }
  await clearAtOnce(write, search, resolution)
  return { isCleared: true }
}

async function clearAtOnce(write: Write, search: ConflictSearch, resolution: Exclude<Resolution, 'leave'>) {
  const moves = moveOptions(resolution)
  const { claims, targets } = await lockInTheWay(write, search, moves !== undefined)
  if (claims.length === 0) return
  if (resolution === 'ask') throw inTheWay(claims)
  const left = moves ? await moveClaims(write, { claims, targets, ...moves }) : undefined
  if (left && left.length > 0 && !moves?.releasesRest) throw withoutPlace(left)
  await releaseClaims(write, left?.map(({ claim }) => claim) ?? claims, search.times)
}

function inTheWay(claims: ClaimInTheWay[]): Refusal {
  const detail = counted(
    claims.length,
    '# booking is in the way, events included: {0}. Nothing was changed yet.',
    '# bookings are in the way, events included: {0}. Nothing was changed yet.',
    namesOf(claims),
  )
  return new Refusal('in_use', detail)
}

// Only a forbidding rule can be overridden, so those claims are named separately from claims without room.
function withoutPlace(left: LeftClaim[]): Refusal {
  const forbidden = left.filter(({ rule }) => rule !== undefined)
  const crowded = left.filter(({ rule }) => rule === undefined)
  const names = (some: LeftClaim[]) => namesOf(some.map(({ claim }) => claim))
  const told: Message[] = [message`Nothing was changed.`]
  const rule = forbidden[0]?.rule
  if (rule)
    told.unshift(
      message`A rule forbids moving ${countBookings(forbidden.length)} of ${names(forbidden)}: ${rule.detail}`,
    )
  if (crowded.length > 0)
    told.unshift(
      message`Nothing of the same type is free near by for ${countBookings(crowded.length)} of ${names(crowded)}.`,
    )
  return new Refusal('in_use', joinMessages(told))
}

const namesOf = (claims: ClaimInTheWay[]) =>
  listNames([...new Set(claims.map(({ bookable }) => bookable))], NAMES_SHOWN_MAX)
