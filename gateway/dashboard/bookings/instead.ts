// What may be booked in place of something that is taken: of the same type, on its floor, else in its building, those with
// the nearest numbers first.
import type pg from 'pg'
import type { BookableChoice, BuildingChoice } from '../search/choices.ts'
import { type FreeBookable, listFree } from './free-bookables.ts'

const LOOKED_AT = 100

type Wanted = {
  bookable: Pick<BookableChoice, 'id' | 'type' | 'locationId' | 'buildingId'>
  /** Whoever shall have it. */
  user: number | undefined
  span: { from: string; to: string }
  fits?: (each: FreeBookable) => boolean
}

export async function listInstead(
  reads: pg.Pool,
  { bookable, user, span, fits = () => true }: Wanted,
  buildings: BuildingChoice[],
  limit: number,
): Promise<FreeBookable[]> {
  const { id, type, locationId: location, buildingId: building } = bookable
  const find = async (place: { location: number } | { building: number }) => {
    const { found } = await listFree(reads, { ...place, type, user }, span, buildings, { limit: LOOKED_AT })
    return found.filter((each) => each.id !== id && fits(each))
  }
  const near = await find({ location })
  const found = near.length > 0 ? near : await find({ building })
  const away = (each: FreeBookable) => Math.abs(each.id - id)
  return found.sort((one, other) => away(one) - away(other)).slice(0, limit)
}
