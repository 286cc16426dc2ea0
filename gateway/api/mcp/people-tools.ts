// The tools that find people and list who is in the office.
import * as yup from 'yup'
import * as answer from '../../../shared/schemas/answers.ts'
import { object, text } from '../../../shared/schemas/fields.ts'
import { type ApiBooking, formatBookingItem, formatBulletList, toBookingItems } from './bookings.ts'
import {
  findCommonZone,
  findPlace,
  type PlaceInput,
  resolveDate,
  resolveLocation,
  toWholeDays,
} from './days.ts'
import {
  type BookingItem,
  bookingShape,
  dayField,
  idField,
  limitField,
  typedTextField,
  userShape,
} from './shapes.ts'
import { describeDay, markAsTypedText } from './texts.ts'
import { defineTool, TOOL_ANNOTATIONS, type ToolContext } from './tool.ts'

const PEOPLE_DEFAULT = 10
const PEOPLE_MAX = 20

type ApiUser = { id: number; name: string; email: string }
type ApiGroup = { id: number; name: string }

const groupShape = yup.object({ group_id: answer.id(), name: typedTextField() })

export const findPeopleTool = defineTool({
  name: 'find_people',
  title: 'Find people',
  description:
    'Finds people by parts of their name and e-mail address, or lists the members of a group. Each person is returned with their groups (teams). Use it to look up user_id and group_id.',
  needs: ['listUsers', 'listUserGroups'],
  effects: TOOL_ANNOTATIONS.READS,
  input: object({
    search: text({ max: 255 }).meta({
      description: 'Words that the name or e-mail address must contain. Letter case is ignored.',
    }),
    group_id: idField('the group whose members to list'),
    limit: limitField(PEOPLE_MAX, PEOPLE_DEFAULT),
  }),
  output: yup.object({
    people: answer.list(userShape.shape({ email: typedTextField(), groups: answer.list(groupShape) })),
    has_more: answer.flag('Whether there are more results than this answer contains.'),
  }),
  async run({ search, group_id, limit = PEOPLE_DEFAULT }, { api }) {
    const found = await api.list<ApiUser>('listUsers', { query: { search, group_id }, limit })
    const people = []
    for (const { id, name, email } of found.items) {
      const groups = await api.list<ApiGroup>('listUserGroups', { params: { user_id: id }, limit: 100 })
      people.push({
        user_id: id,
        name,
        email,
        groups: groups.items.map((group) => ({ group_id: group.id, name: group.name })),
      })
    }
    const lines = people.map(({ user_id, name, email, groups }) => {
      const of = groups.map((group) => `group_id ${group.group_id} ${markAsTypedText(group.name)}`).join(', ')
      return `user_id ${user_id} ${markAsTypedText(name)}, ${markAsTypedText(email)}, groups: ${of || 'none'}`
    })
    const count =
      people.length === 0
        ? 'Nobody is found.'
        : `${people.length} people${found.hasMore ? ', and more' : ''}:`
    return {
      structured: { people, has_more: found.hasMore },
      text: `${count}\n${formatBulletList(lines)}`.trim(),
    }
  },
})

const BOOKINGS_DEFAULT = 200
const BOOKINGS_MAX = 500

/** Finds the bookings of a day at a place. If no place is given, finds the bookings at all places. */
async function findBookings(
  { building_id, location_id }: PlaceInput,
  query: Record<string, string | number | undefined>,
  limit: number,
  { api, places }: ToolContext,
): Promise<{ items: BookingItem[]; hasMore: boolean }> {
  const [name, params] =
    location_id !== undefined
      ? ['listLocationBookings', { location_id }]
      : building_id !== undefined
        ? ['listBuildingBookings', { building_id }]
        : ['listBookings', {}]
  const found = await api.list<ApiBooking>(name, { params: params as Record<string, number>, query, limit })
  const known = location_id === undefined ? {} : { locationId: location_id }
  return { items: await toBookingItems(found.items, places, known), hasMore: found.hasMore }
}

export const whoIsInOutput = yup.object({
  day: answer.date(),
  time_zone: answer.text(),
  people: answer
    .list(userShape.shape({ bookings: answer.list(bookingShape) }))
    .meta({ description: 'The people who are in, with their bookings there.' }),
  at_home: answer.list(userShape).meta({ description: 'The people who have booked a home office.' }),
  has_more: answer.flag('Whether there are more results than this answer contains.'),
})

const whoIsInInput = object({
  day: dayField(),
  building_id: idField('a building'),
  location_id: idField('a location, such as a floor'),
  group_id: idField('a group, to include only its members'),
  user_id: idField('a person, to include only them'),
  limit: limitField(BOOKINGS_MAX, BOOKINGS_DEFAULT),
})

export async function answerWhoIsIn(given: yup.InferType<typeof whoIsInInput>, context: ToolContext) {
  const { day: named = 'today', group_id, user_id, limit = BOOKINGS_DEFAULT } = given
  const { places, now } = context
  const isNamed = given.building_id !== undefined || given.location_id !== undefined
  const place = isNamed ? await findPlace(given, places) : undefined
  const zone = place?.zone ?? (await findCommonZone(places))
  const date = resolveDate(named, zone, now)
  const { items, hasMore } = await findBookings(
    given,
    { ...toWholeDays(date, zone), group_id, user_id },
    limit,
    context,
  )
  const isAtHome = ({ bookable }: BookingItem) => bookable.type === 'home_office'
  const people = new Map<number, BookingItem[]>()
  for (const item of items.filter((each) => !isAtHome(each)))
    people.set(item.user.user_id, [...(people.get(item.user.user_id) ?? []), item])
  const atHome = new Map(items.filter(isAtHome).map(({ user }) => [user.user_id, user]))
  return {
    day: date,
    time_zone: zone,
    people: [...people.values()].map((bookings) => ({
      user_id: bookings[0]?.user.user_id ?? 0,
      name: bookings[0]?.user.name ?? '',
      bookings,
    })),
    at_home: [...atHome.values()],
    has_more: hasMore,
  }
}

export const whoIsInTool = defineTool({
  name: 'who_is_in',
  title: 'Who is in',
  description:
    'Lists who has booked what on a day: everywhere, in one building or on one floor. Can be limited to one person or to the members of a group.',
  // Requires listUsers, because a token that sees only its owner cannot tell who is in the office.
  needs: ['listBookings', 'listBuildingBookings', 'listLocationBookings', 'listUsers'],
  effects: TOOL_ANNOTATIONS.READS,
  input: whoIsInInput,
  output: whoIsInOutput,
  async run(given, context) {
    const structured = await answerWhoIsIn(given, context)
    const { people, at_home, day: date, time_zone } = structured
    const number = people.length === 1 ? '1 person is in' : `${people.length} people are in`
    const lines = people.flatMap(({ bookings }) => bookings.map(formatBookingItem))
    const home = at_home.map(({ user_id, name }) => `user_id ${user_id} ${markAsTypedText(name)}: at home`)
    const more = structured.has_more ? '\nThere are more.' : ''
    return {
      structured,
      text: `day ${date}, ${describeDay(date)} (${time_zone}): ${number}.\n${formatBulletList([...lines, ...home])}${more}`.trim(),
    }
  },
})

const DAYS_DEFAULT = 7

export const listBookingsTool = defineTool({
  name: 'list_bookings',
  title: 'List bookings',
  description:
    'Lists the bookings of a person, a bookable or a place for up to seven days, or returns one booking with its purpose. A personal token lists only the bookings of its owner.',
  needs: [
    'listBookings',
    'listBuildingBookings',
    'listLocationBookings',
    'listBookableBookings',
    'getBooking',
    'getBookable',
  ],
  effects: TOOL_ANNOTATIONS.READS,
  input: object({
    booking_id: idField('the only booking to return'),
    user_id: idField('a person'),
    bookable_id: idField('a bookable'),
    location_id: idField('a location'),
    building_id: idField('a building'),
    day: dayField(),
    days: limitField(DAYS_DEFAULT, DAYS_DEFAULT).meta({
      description: 'The number of days to list.',
      whenAbsent: DAYS_DEFAULT,
    }),
    limit: limitField(BOOKINGS_MAX, BOOKINGS_DEFAULT),
  }),
  output: yup.object({ bookings: answer.list(bookingShape), has_more: answer.flag() }),
  async run(given, context) {
    const { items, hasMore } = await chooseBookings(given, context)
    const number = items.length === 1 ? '1 booking' : `${items.length} bookings`
    return {
      structured: { bookings: items, has_more: hasMore },
      text: `${number}${hasMore ? ', and more' : ''}:\n${formatBulletList(items.map(formatBookingItem))}`,
    }
  },
})

type ListBookingsInput = PlaceInput & {
  booking_id?: number | undefined
  user_id?: number | undefined
  bookable_id?: number | undefined
  day?: string | undefined
  days?: number | undefined
  limit?: number | undefined
}

async function chooseBookings(given: ListBookingsInput, context: ToolContext) {
  const {
    booking_id,
    user_id,
    bookable_id,
    day: named = 'today',
    days = DAYS_DEFAULT,
    limit = BOOKINGS_DEFAULT,
  } = given
  const { api, places, now } = context
  if (booking_id !== undefined) {
    const booking = await api.get<ApiBooking>('getBooking', { params: { id: booking_id } })
    return { items: await toBookingItems([booking], places), hasMore: false }
  }
  if (bookable_id !== undefined) return listBookingsOfBookable(bookable_id, given, context)
  const isNamed = given.building_id !== undefined || given.location_id !== undefined
  const zone = (isNamed && (await findPlace(given, places))?.zone) || (await findCommonZone(places))
  const range = toWholeDays(resolveDate(named, zone, now), zone, days)
  return findBookings(given, { ...range, user_id }, limit, context)
}

async function listBookingsOfBookable(
  id: number,
  given: ListBookingsInput,
  { api, places, now }: ToolContext,
) {
  const { day: named = 'today', days = DAYS_DEFAULT, limit = BOOKINGS_DEFAULT, user_id } = given
  type Bookable = NonNullable<ApiBooking['bookable']> & { location: ApiGroup }
  const bookable = await api.get<Bookable>('getBookable', { params: { id } })
  const { location } = bookable
  const { zone } = await resolveLocation(location.id, undefined, places)
  const query = toWholeDays(resolveDate(named, zone, now), zone, days)
  const params = { bookable_id: id }
  const found = await api.list<ApiBooking>('listBookableBookings', { params, query, limit })
  const items = await toBookingItems(found.items, places, { bookable, locationId: location.id })
  return {
    items: items.filter(({ user }) => user_id === undefined || user.user_id === user_id),
    hasMore: found.hasMore,
  }
}
