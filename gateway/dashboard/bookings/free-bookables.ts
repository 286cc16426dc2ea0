// What is free at a time, as forms offer it: by building, location, type and tags, for a person who may book it.
import type pg from 'pg'
import type { BookableDetails } from '../../../shared/contracts/bookables.ts'
import { queryFlag, queryId, text } from '../../../shared/contracts/fields.ts'
import { isTaken } from '../../../shared/shapes/claims.ts'
import { availableBookables } from '../../api/queries/availability.ts'
import { findPage } from '../../http/listing.ts'
import { type BookableChoice, type BuildingChoice, searchBookables } from '../search/choices.ts'
import { typeChoice } from '../ui/bookables.ts'

const SHOWN = 15
const SHOWN_MAX = 150

export const freeQuery = {
  building: queryId(),
  location: queryId(),
  type: typeChoice(),
  tags: text({ max: 1_000 }),
  place: text({ max: 255 }),
  /** Many more of what is free. */
  all: queryFlag(),
}

export type FreeSearch = {
  building?: number | undefined
  location?: number | undefined
  type?: number | undefined
  tags?: string[]
  /** Whoever shall have it: what they may not book is left out. */
  user?: number | undefined
}
type Span = { from: string; to: string }

export type FreeBookable = Pick<
  BookableChoice,
  'id' | 'name' | 'type' | 'status' | 'capacity' | 'location' | 'building'
> & {
  tags: string[]
  zone: string
  isFree: boolean
}

export async function listFree(
  reads: pg.Pool,
  search: FreeSearch,
  { from, to }: Span,
  buildings: BuildingChoice[],
  { limit = SHOWN }: { limit?: number } = {},
): Promise<{ found: FreeBookable[]; hasMore: boolean }> {
  const { building, location, type, tags = [], user } = search
  const wantedTags = tags.length > 0 ? tags : undefined
  const asked = [building, location, user, from, to, type, wantedTags, undefined]
  const values = asked.map((value) => value ?? null)
  const { items, last } = await findPage(reads, availableBookables, values, { limit, after: undefined })
  const free: BookableDetails[] = JSON.parse(`[${items}]`)
  const zones = new Map(buildings.map(({ id, zone }) => [id, zone]))
  const found = free.map(({ location: { name, building }, ...bookable }) => ({
    ...bookable,
    location: name,
    building: building.name,
    zone: zones.get(building.id) ?? 'UTC',
    isFree: true,
  }))
  return { found, hasMore: last !== undefined }
}

export const shownAtOnce = (all: boolean | undefined) => (all ? SHOWN_MAX : SHOWN)

/** Those that some words name, taken ones too: whoever asks for one by its name wants to know. */
export async function listNamed(
  reads: pg.Pool,
  words: string,
  search: FreeSearch,
  { from, to }: Span,
): Promise<{ found: FreeBookable[]; hasMore: boolean }> {
  const named = await searchBookables(reads, words, search)
  const found = named.slice(0, SHOWN)
  const { rows } = await reads.query<{ id: number }>(
    `SELECT id FROM bookables WHERE id = ANY($1) AND ${isTaken('$2', '$3')}`,
    [found.map(({ id }) => id), from, to],
  )
  const taken = new Set(rows.map(({ id }) => id))
  return {
    found: found.map((each) => ({ ...each, tags: [], isFree: !taken.has(each.id) })),
    hasMore: named.length > found.length,
  }
}
