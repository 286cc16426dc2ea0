// Chooses, among the free bookables with the requested features, those nearest to the given people.
import type * as yup from 'yup'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import * as answer from '../../../shared/schemas/answers.ts'
import type { ResolvedPlace } from './days.ts'
import {
  type BookingItem,
  bookableShape,
  buildingShape,
  findTypeName,
  locationShape,
  TYPE_NAMES,
  type TypeName,
  typedTextField,
  userShape,
} from './shapes.ts'
import type { ToolContext } from './tool.ts'

/** How many free bookables of a place are compared to find the nearest. */
const CANDIDATES_MAX = 300

export const freeBookableShape = bookableShape.shape({
  location: locationShape,
  building: buildingShape,
  features: answer.list(typedTextField()),
  capacity: answer.integer().nullable(),
  colleagues_there: answer
    .list(userShape)
    .meta({ description: 'The people named in the request who are in this location.' }),
})
export type FreeBookable = yup.InferType<typeof freeBookableShape>

type WantedFeatures = {
  features?: string[] | undefined
  capacity_min?: number | undefined
  user_id?: number | undefined
}

type CandidateSearch = {
  given: WantedFeatures
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
type FoundBookables = { items: ApiBookable[]; hasMore: boolean }

/** Searches first in the locations where most of the people are, and then in the whole place. */
export async function findCandidates(
  search: CandidateSearch,
  place: ResolvedPlace,
  context: ToolContext,
): Promise<FoundBookables> {
  const { given, type, limit, times, near } = search
  const { building_id, location_id } = place
  const query = {
    ...times,
    type: TYPE_NAMES[type],
    tag: await findMatchingTags(given.features ?? [], place, context),
    capacity_min: given.capacity_min,
    user_id: given.user_id,
  }
  const look = (where: { building_id?: number | undefined; location_id?: number | undefined }) =>
    context.api.list<ApiBookable>('listAvailableBookables', {
      query: { ...query, ...where },
      limit: CANDIDATES_MAX,
    })
  const inPlace = near.filter(({ building }) => building.building_id === building_id)
  const [closest] =
    location_id === undefined ? sortByFrequency(inPlace.map(({ location }) => location.location_id)) : []
  const there = closest === undefined ? undefined : await look({ location_id: closest })
  if (there && there.items.length >= limit) return { ...there, hasMore: true }
  const all = await look(location_id === undefined ? { building_id } : { location_id })
  const known = new Set(there?.items.map(({ id }) => id))
  return {
    items: [...(there?.items ?? []), ...all.items.filter(({ id }) => !known.has(id))],
    hasMore: all.hasMore,
  }
}

/**
 * Returns the tags of the place that match the requested features. Refuses an unknown feature, and lists the known tags
 * for the model.
 */
async function findMatchingTags(
  features: readonly string[],
  place: ResolvedPlace,
  { places }: ToolContext,
): Promise<string[]> {
  if (features.length === 0) return []
  const { building_id, location_id } = place
  const known = await places.findTags(location_id === undefined ? building_id : undefined, location_id)
  return features.map((feature) => {
    const tag = known.find((each) => each.toLowerCase() === feature.toLowerCase())
    if (tag !== undefined) return tag
    const names = known.join(', ')
    throw invalidFields({
      features: [message`Nothing at that place has ${feature}. Known features at that place: ${names}.`],
    })
  })
}

/** Returns the distinct values, with the most frequent value first. */
export function sortByFrequency(values: readonly number[]): number[] {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one).map(([value]) => value)
}

/** Sorts bookables by location, starting with the location with most of the people, and then by the distance
 * to the nearest of the people on the floor plan. */
export async function sortByDistance(
  candidates: readonly ApiBookable[],
  near: readonly BookingItem[],
  { places }: ToolContext,
): Promise<FreeBookable[]> {
  const colleagues = (locationId: number) => [
    ...new Map(
      near
        .filter(({ location }) => location.location_id === locationId)
        .map(({ user }) => [user.user_id, user]),
    ).values(),
  ]
  const free = candidates.map((bookable) => toFreeBookable(bookable, colleagues(bookable.location.id)))
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
  // Checks for equality first, because Infinity minus Infinity is NaN.
  const compare = (one: number, other: number) => (one === other ? 0 : one - other)
  return ranked.sort((a, b) => b.number - a.number || compare(a.far, b.far)).map(({ each }) => each)
}

function toFreeBookable(
  { id, name, type, tags, capacity, location }: ApiBookable,
  colleagues: FreeBookable['colleagues_there'],
): FreeBookable {
  return {
    bookable_id: id,
    name,
    type: findTypeName(type),
    location: { location_id: location.id, name: location.name },
    building: { building_id: location.building.id, name: location.building.name },
    features: tags,
    capacity,
    colleagues_there: colleagues,
  }
}
