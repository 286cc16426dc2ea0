// Books a room for a meeting with attendees, which is part of the tool `book`, and formats meetings for agents.
import * as yup from 'yup'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import * as answer from '../../../shared/schemas/answers.ts'
import { email, flag, id, list, object, required, rule, text } from '../../../shared/schemas/fields.ts'
import { bookableShape, bookedTimeShape, typedTextField, userShape } from './shapes.ts'
import { describeSpan, formatLocalTime, markAsTypedText } from './texts.ts'
import type { ToolAnswer, ToolContext } from './tool.ts'

const ATTENDEES_MAX = 100
/** The answers to an invitation, in the order of ATTENDEE_STATUSES. */
const ANSWER_NAMES = ['no_answer', 'accepted', 'tentative', 'declined']

const attendeeField = object({
  user_id: id().meta({ description: 'The id of a colleague, taken from find_people.' }),
  email: email().meta({ description: 'The e-mail address of a guest, or of a colleague.' }),
  name: text({ max: 255 }).meta({ description: 'The name of a guest.' }),
}).test(
  ...rule<{ user_id?: number; email?: string }>(
    'named',
    (name) => message`${name} must have a user_id or an email.`,
    (each) => each.user_id !== undefined || each.email !== undefined,
  ),
)

/** The input fields that make a booking a meeting. */
export const meetingFields = {
  attendees: list(required(attendeeField), { max: ATTENDEES_MAX }).meta({
    description:
      'The people to invite, without the person for whom you book. Only for rooms: the booking becomes a meeting.',
  }),
  title: text({ max: 255, min: 1 }).meta({ description: 'The title of the meeting.', whenAbsent: 'Meeting' }),
  invite: flag().meta({
    description:
      'Whether the attendees get an invitation by e-mail. Ask the person before you invite guests.',
    whenAbsent: true,
  }),
}
const meetingSchema = object(meetingFields)

export const meetingShape = yup.object({
  event_id: answer.id(),
  title: typedTextField(),
  rooms: answer.list(bookableShape.pick(['bookable_id', 'name'])),
  organizer: userShape,
  ...bookedTimeShape,
  attendees: answer.list(
    yup.object({
      name: typedTextField(),
      user_id: answer.id('null for a guest.').nullable(),
      answer: answer.oneOf(ANSWER_NAMES),
    }),
  ),
})
export const bookedMeeting = { meeting: answer.sometimes(meetingShape) }
type Meeting = yup.InferType<typeof meetingShape>

/** An event, as the API returns it with details. */
export type ApiEvent = {
  id: number
  name: string
  from: string
  to: string
  from_timezone: string
  organizer: { id: number; name: string }
  bookables: Array<{ id: number; name: string }>
  attendees: Array<{ name: string; user_id: number | null; status: number }>
}

type MeetingInput = yup.InferType<typeof meetingSchema> & {
  bookable_id: number
  user_id: number
  from_time: string
  to_time: string
  booking_info?: string
  guest_name?: string | undefined
  guest_email?: string | undefined
  user_vehicle_id?: number | undefined
}

export async function bookMeeting(
  given: MeetingInput,
  { api, places }: ToolContext,
  key: string | undefined,
): Promise<ToolAnswer<{ meeting: Meeting }>> {
  for (const name of ['guest_name', 'guest_email', 'user_vehicle_id'] as const)
    if (given[name] !== undefined)
      throw invalidFields({ [name]: [message`A meeting has no guest fields. Add guests to attendees.`] })
  const { bookable_id, user_id, from_time, to_time, attendees = [], invite = true } = given
  const place = await places.findOfBookable(bookable_id)
  const zone = place?.zone ?? 'UTC'
  const event = await api.get<ApiEvent>('createEvent', {
    query: { include: 'details', invite: String(invite) },
    body: {
      name: given.title ?? 'Meeting',
      description: given.booking_info,
      from_time,
      to_time,
      from_timezone: zone,
      to_timezone: zone,
      organizer_user_id: user_id,
      attendees: [
        { type: 'bookable', id: bookable_id },
        ...attendees.map(({ user_id: id, email, name }) =>
          id === undefined ? { type: 'visitor', email, name } : { type: 'user', id },
        ),
      ],
    },
    key,
  })
  const meeting = toMeeting(event)
  return { structured: { meeting }, text: `Booked: ${formatMeeting(meeting)}` }
}

export function toMeeting(event: ApiEvent): Meeting {
  const { id, name, from, to, from_timezone: zone, organizer, bookables, attendees } = event
  return {
    event_id: id,
    title: name,
    rooms: bookables.map((room) => ({ bookable_id: room.id, name: room.name })),
    organizer: { user_id: organizer.id, name: organizer.name },
    from_time: formatLocalTime(from, zone),
    to_time: formatLocalTime(to, zone),
    time_zone: zone,
    attendees: attendees.map(({ user_id, status, ...each }) => ({
      name: each.name,
      user_id,
      answer: ANSWER_NAMES[status] ?? 'no_answer',
    })),
  }
}

/** Formats a meeting as one line of text, which contains the ids of everything in it. */
export function formatMeeting({ event_id, title, rooms, organizer, attendees, ...times }: Meeting): string {
  const people = attendees.map(({ name, user_id }) =>
    user_id === null ? `guest ${markAsTypedText(name)}` : `user_id ${user_id} ${markAsTypedText(name)}`,
  )
  return [
    `event_id ${event_id}: ${markAsTypedText(title)}`,
    describeSpan(times.from_time, times.to_time, times.time_zone),
    ...rooms.map(({ bookable_id, name }) => `bookable_id ${bookable_id} ${markAsTypedText(name)}`),
    `organizer user_id ${organizer.user_id} ${markAsTypedText(organizer.name)}`,
    `attendees: ${people.join('; ')}`,
  ].join(', ')
}
