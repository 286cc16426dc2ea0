// Finds alternatives to a taken bookable: of the same type in the same building, the nearest first.
import type pg from 'pg'
import type { BookableChoice } from '../search/choices.ts'
import { type FreeBookable, listFree } from './free-bookables.ts'

const CANDIDATES_MAX = 100

type AlternativeSearch = {
  bookable: Pick<BookableChoice, 'id' | 'type' | 'buildingId'>
  /** The user to book for. */
  user: number | undefined
  span: { from: string; to: string }
  fits?: (each: FreeBookable) => boolean
}

export async function listAlternatives(
  reads: pg.Pool,
  { bookable, user, span, fits = () => true }: AlternativeSearch,
  limit: number,
): Promise<FreeBookable[]> {
  const { id: near, type, buildingId: building } = bookable
  const { found } = await listFree(reads, { building, type, user, near }, span, { limit: CANDIDATES_MAX })
  return found.filter(fits).slice(0, limit)
}
