// Chooses among free bookables: those with the requested features, nearest to the given people.
import type * as yup from 'yup'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import * as answer from '../../../shared/schemas/answers.ts'
import type { FoundPlace } from './days.ts'
import {
  type BookingItem,
  bookableShape,
  buildingShape,
  locationShape,
  TYPE_NAMES,
  type TypeName,
  typed,
  typeName,
  userShape,
} from './shapes.ts'
import type { ToolContext } from './tool.ts'

/** The number of free bookables of a place from which the nearest are chosen. */
const CANDIDATES = 300

export const freeShape = bookableShape.shape({
  location: locationShape,
  building: buildingShape,
  features: answer.list(typed()),
  capacity: answer.integer().nullable(),
  colleagues_there: answer
    .list(userShape)
    .meta({ description: 'The people named in the request who are in this location.' }),
})
export type Free = yup.InferType<typeof freeShape>

type Wanted = {
  features?: string[] | undefined
  capacity_min?: number | undefined
  user_id?: number | undefined
}

type Search = {
  given: Wanted
  type: TypeName
  limit: number
  times: { from: string; to: string }
  near: readonly BookingItem[]
}
type ApiBookable = {
  id: number
  name: string
  type: number
  tags: string[]
  capacity: number | null
  location: { id: number; name: string; building: { id: number; name: string } }
}
type Found = { items: ApiBookable[]; hasMore: boolean }

/** First in the locations of most of the people, then in all of the place. */
export async function findCandidates(
  search: Search,
  place: FoundPlace,
  context: ToolContext,
): Promise<Found> {
  const { given, type, limit, times, near } = search
  const { building_id, location_id } = place
  const query = {
    ...times,
    type: TYPE_NAMES[type],
    tag: await tagsOf(given.features ?? [], place, context),
    capacity_min: given.capacity_min,
    user_id: given.user_id,
  }
  const look = (where: { building_id?: number | undefined; location_id?: number | undefined }) =>
    context.api.list<ApiBookable>('listAvailableBookables', {
      query: { ...query, ...where },
      limit: CANDIDATES,
    })
  const inPlace = near.filter(({ building }) => building.building_id === building_id)
  const [closest] =
    location_id === undefined ? mostFrequent(inPlace.map(({ location }) => location.location_id)) : []
  const there = closest === undefined ? undefined : await look({ location_id: closest })
  if (there && there.items.length >= limit) return { ...there, hasMore: true }
  const all = await look(location_id === undefined ? { building_id } : { location_id })
  const known = new Set(there?.items.map(({ id }) => id))
  return {
    items: [...(there?.items ?? []), ...all.items.filter(({ id }) => !known.has(id))],
    hasMore: all.hasMore,
  }
}

/** Matches the requested tags with those of the place. Refuses unknown tags, and lists the known ones for the model. */
async function tagsOf(
  features: readonly string[],
  place: FoundPlace,
  { places }: ToolContext,
): Promise<string[]> {
  if (features.length === 0) return []
  const { building_id, location_id } = place
  const known = await places.findTags(location_id === undefined ? building_id : undefined, location_id)
  return features.map((feature) => {
    const tag = known.find((each) => each.toLowerCase() === feature.toLowerCase())
    if (tag !== undefined) return tag
    const names = known.join(', ')
    throw invalid({
      features: [message`Nothing there has ${feature}. What desks and rooms there have: ${names}.`],
    })
  })
}

/** The values, the most frequent first. */
export function mostFrequent(values: readonly number[]): number[] {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one).map(([value]) => value)
}

/** Those in the location of most of the people first, and there the nearest to one of them on the floor plan. */
export async function nearestFirst(
  candidates: readonly ApiBookable[],
  near: readonly BookingItem[],
  { places }: ToolContext,
): Promise<Free[]> {
  const colleagues = (locationId: number) => [
    ...new Map(
      near
        .filter(({ location }) => location.location_id === locationId)
        .map(({ user }) => [user.user_id, user]),
    ).values(),
  ]
  const free = candidates.map((bookable) => toFree(bookable, colleagues(bookable.location.id)))
  if (near.length === 0) return free
  const ids = [...free, ...near.map(({ bookable }) => bookable)].map(({ bookable_id }) => bookable_id)
  const positions = new Map((await places.findPositions(ids)).map((position) => [position.id, position]))
  const taken = near
    .map(({ bookable }) => positions.get(bookable.bookable_id))
    .filter((each) => each !== undefined)
  const distance = (id: number): number => {
    const own = positions.get(id)
    const others = taken.filter(({ location_id }) => location_id === own?.location_id)
    return own
      ? Math.min(...others.map(({ x, y }) => Math.hypot(x - own.x, y - own.y)))
      : Number.POSITIVE_INFINITY
  }
  const ranked = free.map((each) => ({
    each,
    number: each.colleagues_there.length,
    far: distance(each.bookable_id),
  }))
  // Infinity minus Infinity is NaN.
  const compare = (one: number, other: number) => (one === other ? 0 : one - other)
  return ranked.sort((a, b) => b.number - a.number || compare(a.far, b.far)).map(({ each }) => each)
}

function toFree(
  { id, name, type, tags, capacity, location }: ApiBookable,
  colleagues: Free['colleagues_there'],
): Free {
  return {
    bookable_id: id,
    name,
    type: typeName(type),
    location: { location_id: location.id, name: location.name },
    building: { building_id: location.building.id, name: location.building.name },
    features: tags,
    capacity,
    colleagues_there: colleagues,
  }
}
