// The plain model of all writes: what each answers, and what it changes. Written from the interface and the decisions
// alone, in another way than the product: arrays, no database, no time but the one it is given.
import { expectConflict } from './conflicts.ts'
import { type Expected, refuse, unbookable } from './refusals.ts'
import { brokenByBooking, brokenByRoom, opensAt } from './rules.ts'
import { type Booking, bookableOf, type Event, type Person, type Span, type State, userOf } from './state.ts'

export type Sent<Body> = { body: Body; now: string }

export type BookingBody = {
  bookable_id: number
  location_id: number
  user_id: number
  from_time?: string | null
  to_time: string
  user_vehicle_id?: number | null
  guest_name?: string
}
export type BookingChanges = { from_time?: string | null; to_time: string; user_vehicle_id?: number | null }
export type BookableChanges = { name?: string; description?: string | null; status?: number; tags?: string[] }
export type Attendee = { type: 'user' | 'visitor' | 'bookable'; id?: number; email?: string }
export type EventBody = {
  name: string
  from_time?: string | null
  to_time: string
  classification?: number
  organizer_user_id?: number
  attendees: Attendee[]
}

const PARKING = 1
const NEVER_AFTER = { to_time: ['to_time must be after from_time.'] }
const UNKNOWN_USER = ['There is no active user with this id.']

/** `id` is what the database called it. */
export function createBooking(state: State, { body, now }: Sent<BookingBody>, id: number): Expected {
  if (body.from_time && body.to_time <= body.from_time)
    return refuse('validation_failed', { errors: NEVER_AFTER })
  const span = { from: body.from_time ?? now, to: body.to_time }
  const bookable = bookableOf(state, body.bookable_id)
  const user = userOf(state, body.user_id)
  const errors: Record<string, string[]> = {}
  if (span.to <= span.from) errors.to_time = NEVER_AFTER.to_time
  else if (span.to <= now) errors.to_time = ['to_time must be in the future.']
  if (!user.isActive) errors.user_id = UNKNOWN_USER
  Object.assign(errors, vehicleErrors(state, body.user_vehicle_id, user.id, user.isActive))
  const vehicle = errors.user_vehicle_id ? null : (body.user_vehicle_id ?? null)
  if (bookable.requiresVehicle && vehicle === null && !errors.user_vehicle_id) {
    errors.user_vehicle_id = [requiresVehicle(bookable.name)]
  }
  if (Object.keys(errors).length > 0) return refuse('validation_failed', { errors })
  const refused = unbookable(bookable, user.id)
  if (refused) return refused
  const isForGuest = body.guest_name !== undefined
  const broken = brokenByBooking(state, bookable, { span, user: user.id, now, isForGuest })
  if (broken) return broken
  const conflict = expectConflict(state, {
    bookables: [bookable.id],
    span,
    user: user.id,
    now,
    hasVehicle: vehicle !== null,
  })
  if (conflict) return conflict
  const booking: Booking = {
    ...span,
    id,
    bookable: bookable.id,
    user: user.id,
    guest: body.guest_name ?? null,
    ...parked(state, bookable.type === PARKING ? vehicle : null),
    isCheckedIn: false,
    opens: opensAt(state, bookable, span),
  }
  state.bookings.push(booking)
  return { status: 200, body: { data: [bookingAnswer(state, booking)] } }
}

export function updateBooking(state: State, id: number, { body, now }: Sent<BookingChanges>): Expected {
  if (body.from_time && body.to_time <= body.from_time)
    return refuse('validation_failed', { errors: NEVER_AFTER })
  const booking = state.bookings.find((each) => each.id === id)
  if (!booking) return refuse('not_found')
  const bookable = bookableOf(state, booking.bookable)
  const from = body.from_time === undefined ? booking.from : (body.from_time ?? now)
  const span = { from, to: body.to_time }
  const errors: Record<string, string[]> = {}
  if (span.to <= span.from) errors.to_time = NEVER_AFTER.to_time
  Object.assign(errors, vehicleErrors(state, body.user_vehicle_id, booking.user, true))
  if (body.user_vehicle_id === null && bookable.requiresVehicle) {
    errors.user_vehicle_id = [requiresVehicle(bookable.name)]
  }
  if (Object.keys(errors).length > 0) return refuse('validation_failed', { errors })
  if (booking.to <= now) return refuse('booking_ended')
  if (!isWithin(span, booking)) {
    const { user, guest } = booking
    const own = { span, user, now, isForGuest: guest !== null, booking: id }
    const refused = unbookable(bookable, user) ?? brokenByBooking(state, bookable, own)
    if (refused) return refused
  }
  const vehicle =
    body.user_vehicle_id === undefined
      ? booking.vehicle
      : bookable.type === PARKING
        ? body.user_vehicle_id
        : null
  const wanted = { bookables: [bookable.id], span, user: booking.user, now, hasVehicle: vehicle !== null }
  const conflict = expectConflict(state, { ...wanted, booking: id })
  if (conflict) return conflict
  if (!isWithin(span, booking) || span.from !== booking.from) {
    booking.opens = opensAt(state, bookable, span)
    booking.isCheckedIn &&= span.from <= now
  }
  Object.assign(booking, span, body.user_vehicle_id === undefined ? {} : parked(state, vehicle))
  return { status: 200, body: { data: bookingAnswer(state, booking) } }
}

export function deleteBooking(state: State, id: number): Expected {
  const at = state.bookings.findIndex((each) => each.id === id)
  if (at < 0) return refuse('not_found')
  state.bookings.splice(at, 1)
  return { status: 204, body: null }
}

export function updateBookable(state: State, id: number, changes: BookableChanges): Expected {
  const bookable = bookableOf(state, id)
  if (changes.status !== undefined && bookable.status === 2) return refuse('bookable_assigned')
  Object.assign(bookable, changes, changes.tags ? { tags: [...new Set(changes.tags)] } : {})
  const { name, type, status, tags } = bookable
  return { status: 200, body: { data: { id, name, type, status, tags } } }
}

/** `given` is what the database called the event and each attendee who is new. */
type Given = { id: number; attendeeIds: number[] }

export function createEvent(state: State, { body, now }: Sent<EventBody>, given: Given): Expected {
  const organizer = body.organizer_user_id ?? 0
  const blank = { id: given.id, people: [], rooms: [], from: '', to: '', organizer }
  return writeEvent(state, { ...blank, name: '', description: '', classification: 3 }, { body, now }, given)
}

export function replaceEvent(state: State, id: number, sent: Sent<EventBody>, given: Given): Expected {
  const event = state.events.find((each) => each.id === id)
  const { body } = sent
  if (event) return writeEvent(state, event, sent, given)
  const isWrong = body.from_time && body.to_time <= body.from_time
  return isWrong ? refuse('validation_failed', { errors: NEVER_AFTER }) : refuse('not_found')
}

function writeEvent(state: State, present: Event, { body, now }: Sent<EventBody>, given: Given): Expected {
  if (body.from_time && body.to_time <= body.from_time)
    return refuse('validation_failed', { errors: NEVER_AFTER })
  const isNew = present.from === ''
  const kept = isNew ? now : present.from
  const span = { from: body.from_time === undefined ? kept : (body.from_time ?? now), to: body.to_time }
  const organizer = body.organizer_user_id ?? present.organizer
  const errors = eventErrors(state, body, span)
  if (Object.keys(errors).length > 0) return refuse('validation_failed', { errors })
  const rooms = idsOf(body.attendees, 'bookable').sort((a, b) => a - b)
  const staying = !isNew && isWithin(span, present) ? present.rooms : []
  const claimed = rooms.filter((each) => !staying.includes(each)).map((id) => bookableOf(state, id))
  for (const room of claimed) {
    const refused = unbookable(room, organizer)
    if (refused) return refused
  }
  for (const room of span.to <= now ? [] : claimed) {
    const broken = brokenByRoom(state, room, { span, user: organizer, now })
    if (broken) return broken
  }
  const wanted = { bookables: rooms, span, user: organizer, now, hasVehicle: false, event: present.id }
  const conflict = expectConflict(state, wanted)
  if (conflict) return conflict
  const people = peopleAfter(present.people, body.attendees, organizer, given.attendeeIds)
  const content = { name: body.name, classification: body.classification ?? 3, organizer, people, rooms }
  const event: Event = { ...present, ...span, ...content }
  state.events = [...state.events.filter(({ id }) => id !== event.id), event]
  return { status: 200, body: { data: eventAnswer(state, event) } }
}

function eventErrors(state: State, { organizer_user_id, attendees }: EventBody, { from, to }: Span) {
  const errors: Record<string, string[]> = {}
  if (to <= from) errors.to_time = NEVER_AFTER.to_time
  if (organizer_user_id !== undefined && !userOf(state, organizer_user_id).isActive) {
    errors.organizer_user_id = UNKNOWN_USER
  }
  for (const [place, { type, id }] of attendees.entries()) {
    if (type === 'user' && !userOf(state, id ?? 0).isActive) errors[`attendees.${place}.id`] = UNKNOWN_USER
  }
  return errors
}

function peopleAfter(present: Person[], attendees: Attendee[], organizer: number, ids: number[]): Person[] {
  const wanted = [
    ...new Set([organizer, ...idsOf(attendees, 'user')]),
    ...new Set(attendees.filter(({ type }) => type === 'visitor').map(({ email }) => email as string)),
  ]
  const fresh = ids.filter((id) => !present.some((person) => person.id === id))
  const people = wanted.map((who): Person => {
    const [user, email] = typeof who === 'number' ? [who, null] : [null, who]
    const known = present.find((person) => person.user === user && person.email === email)
    const role = user === organizer ? 0 : 1
    if (known) return { ...known, role, status: role === 0 && known.role === 1 ? 1 : known.status }
    return { id: fresh.shift() ?? 0, user, email, role, status: role === 0 ? 1 : 0 }
  })
  return people.sort((a, b) => a.id - b.id)
}

function idsOf(attendees: Attendee[], type: Attendee['type']): number[] {
  return [...new Set(attendees.filter((each) => each.type === type).map(({ id }) => id as number))]
}

function vehicleErrors(state: State, vehicle: number | null | undefined, user: number, known: boolean) {
  if (vehicle == null || (known && userOf(state, user).vehicle === vehicle)) return {}
  return { user_vehicle_id: ['This is not one of the user’s vehicles.'] }
}

function requiresVehicle(name: string): string {
  return `user_vehicle_id is required: ${name} can only be booked with a vehicle.`
}

function parked(state: State, vehicle: number | null) {
  const plate = state.users.find((user) => user.vehicle === vehicle)?.plate ?? null
  return { vehicle, plate }
}

function isWithin(span: Span, present: Span): boolean {
  return span.from >= present.from && span.to <= present.to
}

function bookingAnswer(state: State, { id, from, to, bookable, user }: Booking) {
  const { name, type, status } = bookableOf(state, bookable)
  const { name: userName, email } = userOf(state, user)
  return {
    id,
    from,
    to,
    livemap: `${state.baseUrl}/api/v1/bookings/${id}/livemap`,
    bookable: { id: bookable, name, type, status, location: state.location },
    user: { id: user, name: userName, email, extensionAttributes: {} },
  }
}

function eventAnswer(state: State, { id, name, from, to, classification, organizer, people, rooms }: Event) {
  return {
    id,
    name,
    from,
    to,
    classification,
    status: 1,
    organizer: { name: userOf(state, organizer).name },
    attendees: people.map(({ id: own, user, email, role, status }) => {
      const known = user === null ? { name: email, email } : userOf(state, user)
      return { id: own, name: known.name, email: known.email, role, status }
    }),
    bookables: rooms.map((room) => {
      const { name: roomName, tags } = bookableOf(state, room)
      return { id: room, name: roomName, tags, capacity: 0, integration_email: '' }
    }),
  }
}
