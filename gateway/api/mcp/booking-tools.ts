// The tools that check, make, move and cancel bookings, and check in. Each call makes at most one write of the API.
import * as yup from 'yup'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import * as answer from '../../../shared/schemas/answers.ts'
import { object, required, text } from '../../../shared/schemas/fields.ts'
import { type ApiBooking, formatBookingItem, toBookingItems } from './bookings.ts'
import { bookedMeeting, bookMeeting, meetingFields } from './meetings.ts'
import {
  bookingShape,
  idempotencyKeyField,
  idField,
  instantField,
  refusalSchema,
  type ToolRefusal,
} from './shapes.ts'
import { defineTool, describeRefusal, formatRefusal, TOOL_ANNOTATIONS, type ToolContext } from './tool.ts'

const bookingOutput = yup.object({ booking: bookingShape })

const bookingInputFields = {
  bookable_id: required(idField('the bookable')),
  location_id: required(idField('the location of the bookable')),
  user_id: idField('the person for whom to book', ' Leave it out only if the token belongs to that person.'),
  from_time: required(instantField('The start, with the building’s UTC offset.')),
  to_time: required(instantField('The end, with the building’s UTC offset.')),
  guest_name: text({ max: 255 }).meta({
    description: 'The name of the guest, if the booking is for a guest instead of the person.',
  }),
  guest_email: text({ max: 255 }).meta({ description: 'The guest’s e-mail address.' }),
  purpose: text({ max: 1000 }).meta({ description: 'The purpose of the booking.' }),
  user_vehicle_id: idField('a vehicle of the person, for parking spots that require one'),
}
const bookingInputSchema = object(bookingInputFields)
type BookingToolInput = yup.InferType<typeof bookingInputSchema>

function toBookingBody(given: BookingToolInput, { api }: ToolContext) {
  const { purpose, user_id = api.ownerId, ...rest } = given
  if (user_id === undefined)
    throw invalidFields({ user_id: [message`Specify a person: this token has no owner.`] })
  return { ...rest, user_id, ...(purpose !== undefined && { booking_info: purpose }) }
}

async function answerBooking(booking: ApiBooking, { places }: ToolContext, verb: string) {
  const [item] = await toBookingItems([booking], places)
  if (!item) throw new Error('One booking gave no item')
  return { structured: { booking: item }, text: `${verb}: ${formatBookingItem(item)}` }
}

export const checkBookingTool = defineTool({
  name: 'check_booking',
  title: 'Check a booking',
  description:
    'Checks whether a bookable can be booked right now. If it cannot, explains why and suggests free alternatives. Books nothing.',
  needs: ['checkBooking'],
  effects: TOOL_ANNOTATIONS.READS,
  input: bookingInputSchema,
  output: yup.object({
    allowed: answer.flag(),
    reason: refusalSchema.nullable().meta({ description: 'The reason why the booking would be refused.' }),
  }),
  async run(given, context) {
    const body = toBookingBody(given, context)
    type Checked = { allowed: boolean } & Parameters<typeof describeRefusal>[0]
    const checked = await context.api.get<Checked>('checkBooking', { body })
    if (checked.allowed) return { structured: { allowed: true, reason: null }, text: 'It can be booked.' }
    const reason: ToolRefusal = await describeRefusal(checked, context.places)
    return { structured: { allowed: false, reason }, text: `It cannot be booked. ${formatRefusal(reason)}` }
  },
})

export const bookTool = defineTool({
  name: 'book',
  title: 'Book',
  description:
    'Books a desk, room, parking spot or home office for a person. With attendees, the booking of a room becomes a meeting, and the attendees are invited by e-mail. Take bookable_id, location_id, from_time and to_time from find_free.',
  needs: ['createBooking', 'createEvent'],
  effects: TOOL_ANNOTATIONS.ADDS,
  input: object({ ...bookingInputFields, ...meetingFields, idempotency_key: idempotencyKeyField() }),
  output: yup.object({ booking: answer.sometimes(bookingShape), ...bookedMeeting }),
  async run({ idempotency_key, attendees, title, invite, ...given }, context) {
    const body = toBookingBody(given, context)
    const key = idempotency_key ?? context.key
    if (attendees || title) return bookMeeting({ ...body, attendees, title, invite }, context, key)
    const [booking] = await context.api.get<[ApiBooking]>('createBooking', { body, key })
    return answerBooking(booking, context, 'Booked')
  },
})

export const moveBookingTool = defineTool({
  name: 'move_booking',
  title: 'Move a booking',
  description:
    'Moves a booking to another bookable, to another time, or both. If the move is refused, the booking stays as it is. To change only the time, pass the current bookable.',
  needs: ['moveBooking'],
  effects: TOOL_ANNOTATIONS.CHANGES,
  input: object({
    booking_id: required(idField('the booking')),
    bookable_id: required(idField('the bookable to move to')),
    from_time: instantField('The new start. Leave it out to keep the current start.'),
    to_time: instantField('The new end. Leave it out to keep the current end.'),
    idempotency_key: idempotencyKeyField(),
  }),
  output: bookingOutput,
  async run({ booking_id, idempotency_key, ...body }, context) {
    const key = idempotency_key ?? context.key
    const booking = await context.api.get<ApiBooking>('moveBooking', {
      params: { id: booking_id },
      body,
      key,
    })
    return answerBooking(booking, context, 'Moved')
  },
})

export const cancelBookingTool = defineTool({
  name: 'cancel_booking',
  title: 'Cancel a booking',
  description: 'Permanently deletes a booking. Ask the person before you cancel.',
  needs: ['deleteBooking'],
  effects: TOOL_ANNOTATIONS.CHANGES,
  input: object({ booking_id: required(idField('the booking')), idempotency_key: idempotencyKeyField() }),
  output: yup.object({
    cancelled: answer.id('The id of the booking.'),
    booking: bookingShape
      .nullable()
      .meta({ description: 'The cancelled booking, if the token may read it.' }),
  }),
  async run({ booking_id, idempotency_key }, context) {
    const { api } = context
    const params = { id: booking_id }
    const item = api.allows(['getBooking']) ? await findBookingItem(booking_id, context) : undefined
    await api.get('deleteBooking', { params, key: idempotency_key ?? context.key })
    const text = `Cancelled: ${item ? formatBookingItem(item) : `booking_id ${booking_id}`}`
    return { structured: { cancelled: booking_id, booking: item ?? null }, text }
  },
})

// Finds the booking that a tool acts on. If the agent repeats a call, the booking may be gone, but the
// repeated call still gets the first response.
async function findBookingItem(id: number, { api, places }: ToolContext) {
  const booking = await api.get<ApiBooking>('getBooking', { params: { id } }).catch(() => undefined)
  const [item] = booking ? await toBookingItems([booking], places) : []
  return item
}

export const checkInTool = defineTool({
  name: 'check_in',
  title: 'Check in',
  description:
    'Checks in to a booking when the person has arrived. Where check-in is required, bookings without a check-in are released.',
  needs: ['checkInBooking'],
  effects: TOOL_ANNOTATIONS.REPEATS,
  input: object({ booking_id: required(idField('the booking')), idempotency_key: idempotencyKeyField() }),
  output: bookingOutput,
  async run({ booking_id, idempotency_key }, context) {
    const key = idempotency_key ?? context.key
    const booking = await context.api.get<ApiBooking>('checkInBooking', { params: { id: booking_id }, key })
    return answerBooking(booking, context, 'Checked in')
  },
})
