// Adds up figures for reports: by floor, type and weekday, and in total.
import type { Figures, FloorFigures } from './queries.ts'

export const NO_FIGURES: Figures = { available: 0, booked: 0, bookings: 0, noShows: 0 }

export function sumFigures(rows: readonly Figures[]): Figures {
  return rows.reduce<Figures>(
    (sum, each) => ({
      available: sum.available + each.available,
      booked: sum.booked + each.booked,
      bookings: sum.bookings + each.bookings,
      noShows: sum.noShows + each.noShows,
    }),
    NO_FIGURES,
  )
}

export type Group<Key> = Figures & { key: Key; rows: FloorFigures[] }

/** Keeps the order of the rows. */
export function groupFigures<Key>(rows: FloorFigures[], keyOf: (row: FloorFigures) => Key): Group<Key>[] {
  const groups = new Map<Key, FloorFigures[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return [...groups].map(([key, own]) => ({ key, rows: own, ...sumFigures(own) }))
}

/** In percent; zero if nothing could be booked. */
export function percentOf({ available, booked }: Pick<Figures, 'available' | 'booked'>): number {
  return available === 0 ? 0 : (100 * booked) / available
}

export const isWeekday = ({ weekday }: { weekday: number }) => weekday <= 5
