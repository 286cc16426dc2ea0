// A simple in-memory model of bookings, with which listings are compared.
import fc from 'fast-check'
import type { Knex } from 'knex'
import { DAY, HOUR, instantOfMicros, microsOf } from './instants.ts'

export type Span = { from: bigint; to: bigint | null }
export type Claim = Span & { bookable: number; user: number }
export type Stored = Claim & { id: number }

// Where bookings and ranges are drawn around: years far back, both days on which Berlin changes its clocks, leap days,
// today, and months ahead. Few instants around each, so that edges touch often.
const ANCHORS = [
  '0001-01-02T00:00:00Z',
  '1582-10-15T00:00:00Z',
  '2024-02-29T00:00:00Z',
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
].map(microsOf)

export const instants = (nowMs: number): fc.Arbitrary<bigint> => {
  const now = (BigInt(nowMs) / 3_600_000n) * HOUR
  const anchors = [...ANCHORS, now, now + 200n * DAY]
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

/** At most a week, at most a year ahead. */
export const ranges = (nowMs: number): fc.Arbitrary<{ from: bigint; to: bigint }> =>
  fc
    .record({ from: instants(nowMs), length: fc.constantFrom(1n, HOUR, 6n * HOUR, DAY, 7n * DAY, 7n * DAY) })
    .map(({ from, length }) => ({ from, to: from + length }))

export function overlap(one: Span, other: Span): boolean {
  return (one.to === null || one.to > other.from) && (other.to === null || other.to > one.from)
}

/** Leaves out what would hold a bookable twice, save shared ones. */
export function withoutConflicts(drawn: Claim[], isShared: (bookable: number) => boolean): Claim[] {
  const kept: Claim[] = []
  for (const claim of drawn) {
    const conflict = kept.some((other) => other.bookable === claim.bookable && overlap(other, claim))
    if (isShared(claim.bookable) || !conflict) kept.push(claim)
  }
  return kept
}

export function byStart(one: Stored, other: Stored): number {
  if (one.from !== other.from) return one.from < other.from ? -1 : 1
  return one.id - other.id
}

export type Rows = { bookables: number[]; users: number[]; isShared: (bookable: number) => boolean }

/** Puts them into the database, in one statement. */
export async function storeClaims(database: Knex, drawn: Claim[], rows: Rows): Promise<Stored[]> {
  if (drawn.length === 0) return []
  const inserted = await database('bookings')
    .insert(
      drawn.map(({ bookable, user, from, to }) => ({
        bookable_id: rows.bookables[bookable],
        user_id: rows.users[user],
        exclusive: !rows.isShared(bookable),
        during: database.raw('tstzrange(?, ?)', [
          instantOfMicros(from),
          to === null ? null : instantOfMicros(to),
        ]),
      })),
    )
    .returning<Array<{ id: number }>>('id')
  return drawn.map((claim, index) => ({ ...claim, id: inserted[index]?.id ?? 0 }))
}
