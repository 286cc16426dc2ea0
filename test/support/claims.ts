// A simple in-memory model of bookings, for comparison with listings.
import fc from 'fast-check'
import type { Knex } from 'knex'
import { DAY, fromMicros, HOUR, toMicros } from './instants.ts'

export type Span = { from: bigint; to: bigint | null }
export type Claim = Span & { bookable: number; user: number }
export type StoredClaim = Claim & { id: number }

// Generates bookings and ranges around these instants: distant years, clock changes in Berlin, leap days, today, and
// months ahead. Few different instants make ranges touch often.
const ANCHOR_INSTANTS = [
  '0001-01-02T00:00:00Z',
  '1582-10-15T00:00:00Z',
  '2024-02-29T00:00:00Z',
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
].map(toMicros)

export const instants = (nowMs: number): fc.Arbitrary<bigint> => {
  const now = (BigInt(nowMs) / 3_600_000n) * HOUR
  const anchors = [...ANCHOR_INSTANTS, now, now + 200n * DAY]
  return fc
    .tuple(fc.constantFrom(...anchors), fc.integer({ min: -4, max: 4 }), fc.constantFrom(0n, 0n, 0n, 1n))
    .map(([anchor, steps, micro]) => anchor + BigInt(steps) * 6n * HOUR + micro)
}

export const claims = (nowMs: number, limits: { bookables: number; users: number }): fc.Arbitrary<Claim> =>
  fc
    .record({
      bookable: fc.nat(limits.bookables - 1),
      user: fc.nat(limits.users - 1),
      from: instants(nowMs),
      length: fc.constantFrom(1n, HOUR, 6n * HOUR, 12n * HOUR, DAY, 8n * DAY, 4_000n * DAY, null),
    })
    .map(({ length, ...claim }) => ({ ...claim, to: length === null ? null : claim.from + length }))

/** Generates ranges that are at most a week long and at most a year ahead. */
export const ranges = (nowMs: number): fc.Arbitrary<{ from: bigint; to: bigint }> =>
  fc
    .record({ from: instants(nowMs), length: fc.constantFrom(1n, HOUR, 6n * HOUR, DAY, 7n * DAY, 7n * DAY) })
    .map(({ from, length }) => ({ from, to: from + length }))

export function overlap(one: Span, other: Span): boolean {
  return (one.to === null || one.to > other.from) && (other.to === null || other.to > one.from)
}

/** Removes claims that would occupy a bookable twice, unless it is shared. */
export function withoutConflicts(drawn: Claim[], isShared: (bookable: number) => boolean): Claim[] {
  const kept: Claim[] = []
  for (const claim of drawn) {
    const conflict = kept.some((other) => other.bookable === claim.bookable && overlap(other, claim))
    if (isShared(claim.bookable) || !conflict) kept.push(claim)
  }
  return kept
}

export function compareStarts(one: StoredClaim, other: StoredClaim): number {
  if (one.from !== other.from) return one.from < other.from ? -1 : 1
  return one.id - other.id
}

export type ClaimRows = { bookables: number[]; users: number[]; isShared: (bookable: number) => boolean }

/** Inserts the claims into the database with one statement. */
export async function storeClaims(database: Knex, drawn: Claim[], rows: ClaimRows): Promise<StoredClaim[]> {
  if (drawn.length === 0) return []
  const inserted = await database('bookings')
    .insert(
      drawn.map(({ bookable, user, from, to }) => ({
        bookable_id: rows.bookables[bookable],
        user_id: rows.users[user],
        exclusive: !rows.isShared(bookable),
        during: database.raw('tstzrange(?, ?)', [fromMicros(from), to === null ? null : fromMicros(to)]),
      })),
    )
    .returning<Array<{ id: number }>>('id')
  return drawn.map((claim, index) => ({ ...claim, id: inserted[index]?.id ?? 0 }))
}
