// What the address of the pages for booking says, completed with what is usual for the signed-in person.
import type * as yup from 'yup'
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { object, queryFlag, queryId, text } from '../../../shared/schemas/fields.ts'
import type { Call } from '../../pages/kit/page.ts'
import { typeChoice } from '../../pages/ui/bookables.ts'
import { type Floor, listFloors } from './floors.ts'
import { findWantedTime, timeQuery, type WantedTime } from './wanted-time.ts'

export const wantedQuery = object({
  ...timeQuery,
  type: typeChoice(),
  location: queryId(),
  /** For how many people a room has room. */
  people: queryId(),
  /** What it must have. */
  tags: text({ max: 1_000 }),
  /** A desk: the nearest to it come first. */
  near: queryId(),
  /** The floor’s map too, which may have a large picture. */
  map: queryFlag(),
  /** More than the first ones. */
  all: queryFlag(),
})
export type WantedQuery = yup.InferType<typeof wantedQuery>

export type Wanted = { type: number; floors: Floor[]; floor: Floor; time: WantedTime }

/** Undefined if nothing can be booked anywhere. */
export async function findWanted(call: Call<unknown, WantedQuery>): Promise<Wanted | undefined> {
  const { reads, query, now } = call
  const type = query.type ?? BOOKABLE_TYPES.desk
  const floors = await listFloors(reads, call.requirePerson().id, type, now)
  const floor = floors.find(({ locationId }) => locationId === query.location) ?? floors[0]
  if (!floor) return undefined
  return { type, floors, floor, time: findWantedTime(query, floor, now, isForMeetings(type)) }
}

export const isForMeetings = (type: number) => type === BOOKABLE_TYPES.meetingRoom

export const tagsIn = ({ tags }: Pick<WantedQuery, 'tags'>): string[] =>
  (tags ?? '').split(',').filter((tag) => tag !== '')
