// The tool that finds free bookables: in a place, or near people who have booked there on that day.
import * as yup from 'yup'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import * as answer from '../../../shared/schemas/answers.ts'
import { integer, list, object, required, text } from '../../../shared/schemas/fields.ts'
import { type ApiBooking, formatBulletList, toBookingItems } from './bookings.ts'
import {
  findCommonZone,
  findPlace,
  type ResolvedPlace,
  resolveBuilding,
  resolveDate,
  resolveHours,
  WORKING_DAY,
} from './days.ts'
import {
  type FreeBookable,
  findCandidates,
  freeBookableShape,
  sortByDistance,
  sortByFrequency,
} from './free-bookables.ts'
import {
  type BookingItem,
  bookableTypeField,
  bookedTimeShape,
  dayField,
  idField,
  idsField,
  limitField,
  timeOfDayField,
} from './shapes.ts'
import { describeSpan, formatLocalTime, markAsTypedText } from './texts.ts'
import { defineTool, TOOL_ANNOTATIONS, type ToolContext } from './tool.ts'

const FREE_BOOKABLES_DEFAULT = 5
const FREE_BOOKABLES_MAX = 50
const NEAR_USERS_MAX = 10
const NEAR_BOOKINGS_MAX = 500

const input = object({
  day: dayField(),
  start_time: timeOfDayField('The start, in the building’s local time.', WORKING_DAY.STARTS),
  end_time: timeOfDayField('The end, in the building’s local time.', WORKING_DAY.ENDS),
  building_id: idField('a building'),
  location_id: idField('a location, such as a floor'),
  type: bookableTypeField().meta({ description: 'The type of bookable to find.', whenAbsent: 'desk' }),
  features: list(required(text({ max: 255, min: 1 })), { max: 20 }).meta({
    description: 'Tags that the bookable must have, such as “monitor”. Letter case is ignored.',
  }),
  capacity_min: integer({ min: 1, max: 10_000 }).meta({
    description: 'The minimum number of people that it must fit.',
  }),
  user_id: idField(
    'the person for whom to book',
    ' Excludes bookables that this person may not book. Defaults to the owner of the token, if it has one.',
  ),
  near_group_id: idField('a group (team) to be close to'),
  near_user_ids: idsField('people to be close to', NEAR_USERS_MAX),
  limit: limitField(FREE_BOOKABLES_MAX, FREE_BOOKABLES_DEFAULT),
})
type FindFreeInput = yup.InferType<typeof input>

export const findFreeTool = defineTool({
  name: 'find_free',
  title: 'Find what is free',
  description:
    'Finds desks, rooms, parking spots or home offices that are free for the whole time range, best matches first. If you name a group or people, bookables close to them come first. Pass the bookable_id, location_id, from_time and to_time of a result to book it.',
  needs: ['listAvailableBookables', 'listBookings'],
  effects: TOOL_ANNOTATIONS.READS,
  input,
  output: yup.object({
    day: answer.date(),
    ...bookedTimeShape,
    free: answer.list(freeBookableShape),
    has_more: answer.flag(),
  }),
  async run(asked, context) {
    const given = { ...asked, user_id: asked.user_id ?? context.api.ownerId }
    const { type = 'desk', limit = FREE_BOOKABLES_DEFAULT } = given
    const near = await findBookingsOfPeople(given, context)
    const place = await choosePlace(given, near, context)
    const date = resolveDate(given.day ?? 'today', place.zone, context.now)
    const times = resolveHours(date, place.zone, context.now, given)
    if (times.to <= times.from || times.to <= context.now)
      throw invalidFields({ end_time: [message`The end must be after the start and in the future.`] })
    const found = await findCandidates({ given, type, limit, times, near }, place, context)
    const free = await sortByDistance(found.items, near, context)
    const shown = free.slice(0, limit)
    const structured = {
      day: date,
      from_time: formatLocalTime(times.from, place.zone),
      to_time: formatLocalTime(times.to, place.zone),
      time_zone: place.zone,
      free: shown,
      has_more: free.length > shown.length || found.hasMore,
    }
    return { structured, text: formatFreeBookables(structured) }
  },
})

/** Returns the bookings of the named people on that day, in all places. */
async function findBookingsOfPeople(given: FindFreeInput, context: ToolContext): Promise<BookingItem[]> {
  const { near_group_id, near_user_ids = [], user_id } = given
  if (near_group_id === undefined && near_user_ids.length === 0) return []
  const { api, places, now } = context
  const zone = (await findPlace(given, places))?.zone ?? (await findCommonZone(places))
  const range = resolveHours(resolveDate(given.day ?? 'today', zone, now), zone, now, given)
  const queries = [
    ...(near_group_id === undefined ? [] : [{ group_id: near_group_id }]),
    ...near_user_ids.map((id) => ({ user_id: id })),
  ]
  const bookings: ApiBooking[] = []
  for (const query of range.from < range.to ? queries : []) {
    const found = await api.list<ApiBooking>('listBookings', {
      query: { ...range, ...query },
      limit: NEAR_BOOKINGS_MAX,
    })
    bookings.push(...found.items)
  }
  const items = await toBookingItems(bookings, places)
  return items.filter(({ user, bookable }) => user.user_id !== user_id && bookable.type !== 'home_office')
}

/** Returns the given place. Defaults to the place where most of the people are, or else to the only building. */
async function choosePlace(
  given: FindFreeInput,
  near: readonly BookingItem[],
  { places }: ToolContext,
): Promise<ResolvedPlace> {
  const found = await findPlace(given, places)
  if (found) return found
  const [most] = sortByFrequency(near.map(({ building }) => building.building_id))
  const buildings = await places.findBuildings(most)
  const [first] = buildings
  if (most !== undefined && first) return resolveBuilding(first)
  throw new Refusal('validation_failed', message`Specify a building: there are several.`, {
    errors: { building_id: [message`Specify a building: there are several.`] },
    members: { buildings },
  })
}

type FreeAnswer = {
  day: string
  from_time: string
  to_time: string
  time_zone: string
  free: FreeBookable[]
  has_more: boolean
}

function formatFreeBookables({
  day: date,
  from_time,
  to_time,
  time_zone,
  free,
  has_more,
}: FreeAnswer): string {
  const when = `day ${date}, ${describeSpan(from_time, to_time, time_zone)}, from_time ${from_time}, to_time ${to_time}`
  if (free.length === 0)
    return `Nothing that fits is free: ${when}. Try another day, time or place, or fewer features.`
  const lines = free.map(
    ({ bookable_id, name, type, location, building, features, capacity, colleagues_there }) => {
      const people = colleagues_there
        .map(({ user_id, name: who }) => `user_id ${user_id} ${markAsTypedText(who)}`)
        .join(', ')
      return [
        `bookable_id ${bookable_id} ${markAsTypedText(name)} (${type})`,
        `location_id ${location.location_id} ${markAsTypedText(location.name)}`,
        `building_id ${building.building_id} ${markAsTypedText(building.name)}`,
        features.length > 0 ? `has ${features.map(markAsTypedText).join(', ')}` : '',
        capacity === null ? '' : `for ${capacity} people`,
        people && `in this location: ${people}`,
      ]
        .filter(Boolean)
        .join(', ')
    },
  )
  return `Free: ${when}:\n${formatBulletList(lines)}${has_more ? '\nThere are more.' : ''}`
}
