// The plain model of all writes: what each answers, and what it changes. Written from the interface and the decisions
// alone, in another way than the product: arrays, no database, no time but the one it is given.
import {
  addBooking,
  type BookingBody,
  bookingAnswer,
  isBackwards,
  NEVER_AFTER,
  PARKING,
  parked,
  refusedByChecks,
  refusedByClaims,
  refusedByCounts,
  requiresVehicle,
  UNKNOWN_USER,
  vehicleErrors,
  wantedBooking,
} from './bookings.ts'
import { expectConflict } from './conflicts.ts'
import { type Expected, refuse, unbookable } from './refusals.ts'
import { brokenByCounts, brokenByRoom, opensAt } from './rules.ts'
import { bookableOf, type Event, type Person, type Span, type State, userOf } from './state.ts'

export type Sent<Body> = { body: Body; now: string }

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

/** `id` is what the database called it. */
export function createBooking(state: State, { body, now }: Sent<BookingBody>, id: number): Expected {
  if (isBackwards(body)) return refuse('validation_failed', { errors: NEVER_AFTER })
  const wanted = wantedBooking(body, now)
  const refused =
    refusedByChecks(state, wanted) ?? refusedByCounts(state, wanted) ?? refusedByClaims(state, wanted)
  if (refused) return refused
  return { status: 200, body: { data: [bookingAnswer(state, addBooking(state, wanted, id))] } }
}

export function updateBooking(state: State, id: number, { body, now }: Sent<BookingChanges>): Expected {
  if (isBackwards(body)) return refuse('validation_failed', { errors: NEVER_AFTER })
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
    const refused =
      unbookable(bookable, user) ?? brokenByRoom(state, bookable, own) ?? brokenByCounts(state, bookable, own)
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
  const isSameStart = span.from === booking.from
  if (!isSameStart || (booking.opens === null && !isWithin(span, booking))) {
    booking.opens = opensAt(state, bookable, span)
  }
  booking.isCheckedIn &&= isSameStart || span.from <= now
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
  if (isBackwards(body)) return refuse('validation_failed', { errors: NEVER_AFTER })
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
  const fresh = ids.filter((id) => !wanted.includes(id) && !present.some((person) => person.id === id))
  const isWanted = ({ user, email }: Person) => wanted.includes(user ?? email ?? '')
  const staying = present.filter(isWanted).map((known): Person => {
    const role = known.user === organizer ? 0 : 1
    return { ...known, role, status: role === 0 && known.role === 1 ? 1 : known.status }
  })
  const added = wanted.filter((who) => !present.some(({ user, email }) => who === (user ?? email)))
  return [
    ...staying,
    ...added.map((who): Person => {
      const [user, email] = typeof who === 'number' ? [who, null] : [null, who]
      const role = user === organizer ? 0 : 1
      return { id: user ?? fresh.shift() ?? 0, user, email, role, status: role === 0 ? 1 : 0 }
    }),
  ]
}

function idsOf(attendees: Attendee[], type: Attendee['type']): number[] {
  return [...new Set(attendees.filter((each) => each.type === type).map(({ id }) => id as number))]
}

function isWithin(span: Span, present: Span): boolean {
  return span.from >= present.from && span.to <= present.to
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
