// Tools that check, make, move and cancel bookings, and check in. Each is one write of the API.
import * as yup from 'yup'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import * as answer from '../../../shared/schemas/answers.ts'
import { object, required, text } from '../../../shared/schemas/fields.ts'
import { type ApiBooking, bookingText, toItems } from './bookings.ts'
import { bookingShape, idempotencyKey, idOf, instant, type Refused, refusedSchema } from './shapes.ts'
import { defineTool, describeRefusal, EFFECTS, refusalText, type ToolContext } from './tool.ts'

const booked = yup.object({ booking: bookingShape })

const wanted = {
  bookable_id: required(idOf('the bookable')),
  location_id: required(idOf('the location of the bookable')),
  user_id: idOf('the person for whom to book', ' Leave it out only if the token belongs to that person.'),
  from_time: required(instant('The start, with the building’s UTC offset.')),
  to_time: required(instant('The end, with the building’s UTC offset.')),
  guest_name: text({ max: 255 }).meta({
    description: 'The name of the guest, if the booking is for a guest instead of the person.',
  }),
  guest_email: text({ max: 255 }).meta({ description: 'The guest’s e-mail address.' }),
  purpose: text({ max: 1000 }).meta({ description: 'The purpose of the booking.' }),
  user_vehicle_id: idOf('a vehicle of the person, for parking spots that require one'),
}
const wantedSchema = object(wanted)
type Wanted = yup.InferType<typeof wantedSchema>

function bodyOf(given: Wanted, { api }: ToolContext) {
  const { purpose, user_id = api.ownerId, ...rest } = given
  if (user_id === undefined)
    throw invalid({ user_id: [message`Say for whom: this token belongs to nobody.`] })
  return { ...rest, user_id, ...(purpose !== undefined && { booking_info: purpose }) }
}

async function answerBooking(booking: ApiBooking, { places }: ToolContext, verb: string) {
  const [item] = await toItems([booking], places)
  if (!item) throw new Error('One booking gave no item')
  return { structured: { booking: item }, text: `${verb}: ${bookingText(item)}` }
}

export const checkBooking = defineTool({
  name: 'check_booking',
  title: 'Check a booking',
  description:
    'Checks whether a bookable can be booked right now. If it cannot, explains why and suggests free alternatives. Books nothing.',
  needs: ['checkBooking'],
  effects: EFFECTS.READS,
  input: wantedSchema,
  output: yup.object({
    allowed: answer.flag(),
    reason: refusedSchema.nullable().meta({ description: 'The reason why the booking would be refused.' }),
  }),
  async run(given, context) {
    const body = bodyOf(given, context)
    type Checked = { allowed: boolean } & Parameters<typeof describeRefusal>[0]
    const checked = await context.api.get<Checked>('checkBooking', { body })
    if (checked.allowed) return { structured: { allowed: true, reason: null }, text: 'It can be booked.' }
    const reason: Refused = await describeRefusal(checked, context.places)
    return { structured: { allowed: false, reason }, text: `It cannot be booked. ${refusalText(reason)}` }
  },
})

export const book = defineTool({
  name: 'book',
  title: 'Book',
  description:
    'Books a desk, room, parking spot or home office for a person. Take bookable_id, location_id, from_time and to_time from find_free.',
  needs: ['createBooking'],
  effects: EFFECTS.ADDS,
  input: object({ ...wanted, idempotency_key: idempotencyKey() }),
  output: booked,
  async run({ idempotency_key, ...given }, context) {
    const body = bodyOf(given, context)
    const key = idempotency_key ?? context.key
    const [booking] = await context.api.get<[ApiBooking]>('createBooking', { body, key })
    return answerBooking(booking, context, 'Booked')
  },
})

export const moveBooking = defineTool({
  name: 'move_booking',
  title: 'Move a booking',
  description:
    'Moves a booking to another bookable, to another time, or both. If the move is refused, the booking stays as it is. To change only the time, pass the current bookable.',
  needs: ['moveBooking'],
  effects: EFFECTS.CHANGES,
  input: object({
    booking_id: required(idOf('the booking')),
    bookable_id: required(idOf('the bookable to move to')),
    from_time: instant('The new start. Leave it out to keep the current start.'),
    to_time: instant('The new end. Leave it out to keep the current end.'),
    idempotency_key: idempotencyKey(),
  }),
  output: booked,
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

export const cancelBooking = defineTool({
  name: 'cancel_booking',
  title: 'Cancel a booking',
  description: 'Permanently deletes a booking. Ask the person before you cancel.',
  needs: ['deleteBooking'],
  effects: EFFECTS.CHANGES,
  input: object({ booking_id: required(idOf('the booking')), idempotency_key: idempotencyKey() }),
  output: yup.object({
    cancelled: answer.id('The id of the booking.'),
    booking: bookingShape
      .nullable()
      .meta({ description: 'The cancelled booking, if the token may read it.' }),
  }),
  async run({ booking_id, idempotency_key }, context) {
    const { api } = context
    const params = { id: booking_id }
    const item = api.allows(['getBooking']) ? await findItem(booking_id, context) : undefined
    await api.get('deleteBooking', { params, key: idempotency_key ?? context.key })
    const text = `Cancelled: ${item ? bookingText(item) : `booking_id ${booking_id}`}`
    return { structured: { cancelled: booking_id, booking: item ?? null }, text }
  },
})

// A repeat of the call finds it no more, and still gets its first answer.
async function findItem(id: number, { api, places }: ToolContext) {
  const booking = await api.get<ApiBooking>('getBooking', { params: { id } }).catch(() => undefined)
  const [item] = booking ? await toItems([booking], places) : []
  return item
}

export const checkIn = defineTool({
  name: 'check_in',
  title: 'Check in',
  description:
    'Checks in to a booking when the person has arrived. Where check-in is required, bookings without a check-in are released.',
  needs: ['checkInBooking'],
  effects: EFFECTS.REPEATS,
  input: object({ booking_id: required(idOf('the booking')), idempotency_key: idempotencyKey() }),
  output: booked,
  async run({ booking_id, idempotency_key }, context) {
    const key = idempotency_key ?? context.key
    const booking = await context.api.get<ApiBooking>('checkInBooking', { params: { id: booking_id }, key })
    return answerBooking(booking, context, 'Checked in')
  },
})
