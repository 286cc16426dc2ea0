// What the address of the pages for booking says, completed with what is usual for the signed-in person.
import type * as yup from 'yup'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { object, queryFlag, queryId, text } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import type { Call } from '../../pages/page/page.ts'
import { typeChoice } from '../../pages/ui/bookables.ts'
import { type Companion, findCompanion } from './companion.ts'
import { type Floor, listFloors } from './floors.ts'
import { findWantedTime, startNow, timeQuery, type WantedTime } from './wanted-time.ts'

export const wantedQuery = object({
  ...timeQuery,
  type: typeChoice(),
  location: queryId(),
  /** How many people a room must have seats for. */
  people: queryId(),
  /** The equipment that a place must have. */
  tags: text({ max: 1_000 }),
  /** The id of a desk; those nearest to it come first. */
  near: queryId(),
  /** The id of a colleague; the desks nearest to theirs come first, at the hours at which they are there. */
  with: queryId(),
  /** The start (now) that the form proposed, and its time zone. */
  proposed: text({ max: 100 }),
  /** Also shows the floor’s map, which may have a large picture. */
  map: queryFlag(),
  /** Shows more than the first results. */
  all: queryFlag(),
})
export type WantedQuery = yup.InferType<typeof wantedQuery>

export type Wanted = {
  type: number
  floors: Floor[]
  floor: Floor
  time: WantedTime
  companion?: Companion | undefined
  /** The desk whose neighbours come first. */
  near: number | undefined
}

/** Undefined if nothing can be booked anywhere. */
export async function findWanted(call: Call<unknown, WantedQuery>): Promise<Wanted | undefined> {
  const { reads, query, now } = call
  const type = query.type ?? BOOKABLE_TYPES.desk
  const floors = await listFloors(reads, call.requirePerson().id, type, now)
  const findFloor = (id: number | undefined) => floors.find(({ locationId }) => locationId === id)
  const first = findFloor(query.location) ?? floors[0]
  if (!first) return undefined
  const day = { date: query.date ?? formatLocalDate(now, first.zone), zone: first.zone }
  const companion = query.with === undefined ? undefined : await findCompanion(call, query.with, day)
  const floor = findFloor(query.location) ?? findFloor(companion?.seat?.locationId) ?? first
  const isBeside = companion?.seat?.locationId === floor.locationId
  const hours = isBeside && !query.from && !query.to ? companion.hours : {}
  const asked = isProposedElsewhere(query, floor)
    ? startNow(query, floor, now, isForMeetings(type))
    : { ...query, ...hours }
  return {
    type,
    floors,
    floor,
    companion,
    near: query.near ?? (isBeside ? companion.seat?.bookableId : undefined),
    time: findWantedTime(asked, floor, now, isForMeetings(type)),
  }
}

/** The value of the field `proposed` in the form of Book. */
export const proposedStart = ({ query: { date, from }, zone }: WantedTime) => `${date}T${from} ${zone}`

/** A person who keeps the proposed start and chooses a floor in another time zone means “now” there too. */
function isProposedElsewhere({ proposed, date, from }: WantedQuery, { zone }: Floor): boolean {
  const [start, proposedZone] = proposed?.split(' ') ?? []
  return start === `${date}T${from}` && proposedZone !== zone
}

export const isForMeetings = (type: number) => type === BOOKABLE_TYPES.meetingRoom

export const tagsIn = ({ tags }: Pick<WantedQuery, 'tags'>): string[] =>
  (tags ?? '').split(',').filter((tag) => tag !== '')
