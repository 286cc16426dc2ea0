// Reads the parameters of the booking pages, and fills in defaults for the signed-in person.
import type * as yup from 'yup'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { object, queryFlag, queryId, text } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { sentence } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { typeChoice } from '../../pages/ui/bookables.ts'
import { choices } from '../../pages/ui/fields.ts'
import { type ColleagueToJoin, findColleagueToJoin } from './companion.ts'
import { type Floor, listFloors } from './floors.ts'
import { findTimeStartingNow, findWantedTime, timeQuery, type WantedTime } from './wanted-time.ts'

const VIEW_CHOICES = choices(['map', sentence`Map`], ['list', sentence`List`])

export const wantedQuery = object({
  ...timeQuery,
  type: typeChoice(),
  location: queryId(),
  /** The minimum number of seats in a room. */
  people: queryId(),
  /** Whether to propose the time from now on, unless the address has a time. */
  now: queryFlag(),
  /** The tags that a place must have. */
  tags: text({ max: 1_000 }),
  /** The id of a desk. The desks nearest to it are listed first. */
  near: queryId(),
  /** The id of a colleague. The desks nearest to the colleague's are listed first, at the hours when the
   * colleague is there. */
  with: queryId(),
  /** The start time that the form proposed (the current time), and its time zone. */
  proposed: text({ max: 100 }),
  /** Whether to show the map or the list. Without it, floors with a floor plan show the map. */
  view: VIEW_CHOICES.rule(),
  /** Whether to show more than the first results. */
  all: queryFlag(),
})
export type WantedQuery = yup.InferType<typeof wantedQuery>

export type WantedPlace = {
  type: number
  floors: Floor[]
  floor: Floor
  time: WantedTime
  companion?: ColleagueToJoin | undefined
  /** The id of the desk whose neighbours are listed first. */
  near: number | undefined
}

/** Finds the place and time to show. Returns undefined if nothing can be booked anywhere. */
export async function findWantedPlace(call: Call<unknown, WantedQuery>): Promise<WantedPlace | undefined> {
  const { reads, query, now } = call
  const type = query.type ?? BOOKABLE_TYPES.desk
  const floors = await listFloors(reads, call.requirePerson().id, type, now)
  const findFloor = (id: number | undefined) => floors.find(({ locationId }) => locationId === id)
  const first = findFloor(query.location) ?? floors[0]
  if (!first) return undefined
  const day = { date: query.date ?? formatLocalDate(now, first.zone), zone: first.zone }
  const companion = query.with === undefined ? undefined : await findColleagueToJoin(call, query.with, day)
  const floor = findFloor(query.location) ?? findFloor(companion?.seat?.locationId) ?? first
  const isBeside = companion?.seat?.locationId === floor.locationId
  const hours = isBeside && !query.from && !query.to ? companion.hours : {}
  const isFromNow = query.now && !query.date && !query.from && !query.to
  const asked =
    isFromNow || isProposedElsewhere(query, floor)
      ? findTimeStartingNow(query, floor, now, isMeetingRoomType(type))
      : { ...query, ...hours }
  return {
    type,
    floors,
    floor,
    companion,
    near: query.near ?? (isBeside ? companion.seat?.bookableId : undefined),
    time: findWantedTime(asked, floor, now, isMeetingRoomType(type)),
  }
}

/** Returns the value of the field `proposed` in the form of the Book page. */
export const formatProposedStart = ({ query: { date, from }, zone }: WantedTime) => `${date}T${from} ${zone}`

/** Returns true if the person kept the proposed start, which means “now”, and chose a floor in another time zone. */
function isProposedElsewhere({ proposed, date, from }: WantedQuery, { zone }: Floor): boolean {
  const [start, proposedZone] = proposed?.split(' ') ?? []
  return start === `${date}T${from}` && proposedZone !== zone
}

export const isMeetingRoomType = (type: number) => type === BOOKABLE_TYPES.meetingRoom

export const parseTags = ({ tags }: Pick<WantedQuery, 'tags'>): string[] =>
  (tags ?? '').split(',').filter((tag) => tag !== '')
