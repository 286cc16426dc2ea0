// Models events and series of events: who attends, which rooms they claim, and how people answer.
import { END_NOT_AFTER_START, isBackwards, UNKNOWN_USER } from './bookings.ts'
import { expectConflict } from './conflicts.ts'
import { isWithin, type TimedRequest } from './model.ts'
import { type ExpectedAnswer, findRefusalByStatus, refuse } from './refusals.ts'
import { findRefusalByPersonalRules, findRefusalByRoomRules } from './rules.ts'
import { compareByTime, createShift, isConcerned, type Scope } from './series.ts'
import { addMs, withIndex } from './several.ts'
import {
  type Bookable,
  type Event,
  findBookable,
  findUser,
  type Person,
  type Span,
  type State,
} from './state.ts'

export type Attendee = { type: 'user' | 'visitor' | 'bookable'; id?: number; email?: string }
export type EventBody = {
  name: string
  from_time?: string | null
  to_time: string
  classification?: number
  organizer_user_id?: number
  attendees: Attendee[]
}

export type EventSeriesBody = EventBody & {
  from_time: string
  repeat: { every: 'day'; interval: number; count: number }
  on_conflict: 'refuse' | 'skip'
}

/** The ids that the database assigned to the event and each new attendee, and whether the write invites. */
type GivenIds = { id: number; attendeeIds: number[]; invites: boolean }

const DAY_MS = 24 * 3_600_000

const createBlankEvent = (id: number, series: number | null, organizer: number): Event => ({
  id,
  series,
  organizer,
  isCancelled: false,
  people: [],
  rooms: [],
  from: '',
  to: '',
  invites: false,
  name: '',
  description: '',
  classification: 3,
})

export function createEvent(
  state: State,
  sent: TimedRequest<EventBody>,
  given: GivenIds,
  series: number | null = null,
): ExpectedAnswer {
  if (isBackwards(sent.body)) return refuse('validation_failed', { errors: END_NOT_AFTER_START })
  const blank = createBlankEvent(given.id, series, sent.body.organizer_user_id ?? 0)
  return writeEvents(state, [blank], blank, sent, given)
}

/** Creates a series. Every day has 24 hours, because the stage is in UTC. `created` has the ids of each event. */
export function createEventSeries(
  state: State,
  { body, now }: TimedRequest<EventSeriesBody>,
  {
    id,
    invites,
    created: given,
  }: { id: number; invites: boolean; created: Array<Omit<GivenIds, 'invites'>> },
): ExpectedAnswer {
  const { repeat, on_conflict, ...event } = body
  if (isBackwards(event)) return refuse('validation_failed', { errors: END_NOT_AFTER_START })
  const before = state.events
  const fresh = [...given]
  const decisions = Array.from({ length: repeat.count }, (_, number) => {
    const ms = number * repeat.interval * DAY_MS
    const span = { from: addMs(event.from_time, ms), to: addMs(event.to_time, ms) }
    const ids = { id: -1, attendeeIds: [], ...fresh[0], invites }
    const sent = { body: { ...event, from_time: span.from, to_time: span.to }, now }
    const answer = createEvent(state, sent, ids, id)
    if (answer.status === 200) fresh.shift()
    return { span, answer, body: answer.body as { code: string; data: unknown } }
  })
  const undo = (refusal: ExpectedAnswer): ExpectedAnswer => {
    state.events = before
    return refusal
  }
  const refused = decisions.filter(({ answer }) => answer.status !== 200)
  const first = decisions.findIndex(({ answer }) => answer.status !== 200)
  const isSkipping = on_conflict === 'skip' && refused.length < decisions.length
  if (first >= 0 && !isSkipping) return undo(withIndex(decisions.map(({ answer }) => answer) as never, first))
  const wrong = refused.find(({ answer }) => answer.status === 422)
  if (wrong) return undo(wrong.answer)
  state.eventSeries.push(id)
  const createdEvents = decisions.flatMap(({ answer, body: { data } }) =>
    answer.status === 200 ? [data] : [],
  )
  const skipped = refused.map(({ span, body: { code } }) => ({ ...span, code }))
  return { status: 200, body: { data: { id, created: createdEvents, skipped } } }
}

/** Replaces an event, and with a scope others of its series, which move by as much. All of them change, or none. */
export function replaceEvent(
  state: State,
  { id, scope }: { id: number; scope: Scope },
  sent: TimedRequest<EventBody>,
  given: GivenIds,
): ExpectedAnswer {
  if (isBackwards(sent.body)) return refuse('validation_failed', { errors: END_NOT_AFTER_START })
  const named = state.events.find((each) => each.id === id)
  if (!named) return refuse('not_found')
  return writeEvents(state, listConcerned(state, named, { scope, now: sent.now }), named, sent, given)
}

/** Cancels an event, and with a scope others of its series. */
export function cancelEvent(
  state: State,
  { id, scope }: { id: number; scope: Scope },
  now: string,
): ExpectedAnswer {
  const named = state.events.find((each) => each.id === id)
  if (!named) return refuse('not_found')
  if (!named.isCancelled && named.to <= now) return refuse('event_ended')
  cancelEvents(state, listConcerned(state, named, { scope, now }))
  return { status: 204, body: null }
}

/** Cancels the events of a series from a time on. Without a time, a running event is cancelled too. */
export function cancelEventSeries(
  state: State,
  id: number,
  from: string | undefined,
  now: string,
): ExpectedAnswer {
  if (!state.eventSeries.includes(id)) return refuse('not_found')
  const since = from ?? now
  cancelEvents(
    state,
    state.events.filter(
      (each) => each.series === id && each.to > now && (each.from >= since || since <= now),
    ),
  )
  return { status: 204, body: null }
}

function cancelEvents(state: State, events: Event[]): void {
  state.events = state.events.map((each) =>
    events.includes(each) ? { ...each, isCancelled: true, rooms: [] } : each,
  )
}

/** Returns the named event and the others of its series that a change concerns, in order of time. */
function listConcerned(state: State, named: Event, asked: { scope: Scope; now: string }): Event[] {
  if (named.series === null || asked.scope === 'one') return [named]
  const found = state.events
    .filter((each) => each.series === named.series && !each.isCancelled && isConcerned(each, named, asked))
    .sort(compareByTime)
  return found.includes(named) ? found : [named, ...found]
}

/** `attendee` is the attendee's id in responses. */
export function answerInvitation(
  state: State,
  path: { id: number; attendee: number },
  { body: { status }, now }: TimedRequest<{ status: number }>,
): ExpectedAnswer {
  const event = state.events.find(({ id }) => id === path.id)
  const person = event?.people.find(({ id }) => id === path.attendee)
  if (!event || !person) return refuse('not_found')
  if (event.isCancelled) return refuse('event_cancelled')
  if (event.to <= now) return refuse('event_ended')
  if (person.role === 0 && status !== 1)
    return refuse('validation_failed', { errors: { status: ['The organizer always attends.'] } })
  person.status = status
  return { status: 200, body: { data: { id: event.id, status } } }
}

type WantedEvent = { present: Event; span: Span; rooms: number[]; organizer: number }

/** Saves new or changed events, or none of them. */
function writeEvents(
  state: State,
  concerned: Event[],
  named: Event,
  { body, now }: TimedRequest<EventBody>,
  given: GivenIds,
): ExpectedAnswer {
  const kept = named.from === '' ? now : named.from
  const span = { from: body.from_time === undefined ? kept : (body.from_time ?? now), to: body.to_time }
  const shift = createShift(named, span)
  const rooms = listIds(body.attendees, 'bookable').sort((a, b) => a - b)
  const wanted = concerned.map((present): WantedEvent => {
    const organizer = body.organizer_user_id ?? present.organizer
    return { present, rooms, organizer, span: present === named ? span : shift(present) }
  })
  const refused =
    findFirst(wanted, (each) => findRefusalOfEvent(state, each, { body, now })) ??
    findConflictOfEvents(state, wanted, now)
  if (refused) return refused
  const saved = wanted.map((each) => createSavedEvent(each, body, given))
  state.events = [...state.events.filter(({ id }) => !saved.some((event) => event.id === id)), ...saved]
  const event = saved.find(({ id }) => id === named.id) as Event
  return { status: 200, body: { data: createEventAnswer(state, event) } }
}

const findFirst = <Each>(all: Each[], find: (each: Each) => ExpectedAnswer | undefined) =>
  all.reduce<ExpectedAnswer | undefined>((found, each) => found ?? find(each), undefined)

/** Refusals that do not depend on other claims. */
function findRefusalOfEvent(
  state: State,
  { present, span, rooms, organizer }: WantedEvent,
  { body, now }: TimedRequest<EventBody>,
): ExpectedAnswer | undefined {
  const errors = findEventErrors(state, body, span)
  if (Object.keys(errors).length > 0) return refuse('validation_failed', { errors })
  if (present.isCancelled) return refuse('event_cancelled')
  const isNew = present.from === ''
  const staying = !isNew && isWithin(span, present) ? present.rooms.filter((id) => rooms.includes(id)) : []
  // A new organizer does not get the rooms that are assigned to others.
  if (organizer !== present.organizer) {
    const refused = findFirst(staying, (id) =>
      findRefusalByStatus(unblocked(findBookable(state, id)), organizer, span),
    )
    const asked = { span, user: organizer, now }
    const forbidden = findFirst(span.to <= now ? [] : staying, (id) =>
      findRefusalByPersonalRules(state, findBookable(state, id), asked),
    )
    if (refused ?? forbidden) return refused ?? forbidden
  }
  const claimed = rooms.filter((each) => !staying.includes(each)).map((id) => findBookable(state, id))
  return (
    findFirst(claimed, (room) => findRefusalByStatus(room, organizer, span)) ??
    findFirst(span.to <= now ? [] : claimed, (room) =>
      findRefusalByRoomRules(state, room, { span, user: organizer, now }),
    )
  )
}

const unblocked = (room: Bookable): Bookable => (room.status === 1 ? { ...room, status: 0 } : room)

/** Returns the first conflict. The events free their rooms first, and then claim rooms in order of time. */
function findConflictOfEvents(state: State, wanted: WantedEvent[], now: string): ExpectedAnswer | undefined {
  const others = state.events.filter(({ id }) => !wanted.some(({ present }) => present.id === id))
  const trial: State = { ...state, events: others }
  const missing = wanted.filter((each) => {
    const isTaken = (room: number) => Boolean(expectConflict(trial, toClaim({ ...each, rooms: [room] }, now)))
    const rooms = each.rooms.filter((room) => !isTaken(room))
    trial.events = [...trial.events, { ...each.present, ...each.span, rooms }]
    return rooms.length < each.rooms.length
  })
  return findFirst(missing, (each) => expectConflict(trial, toClaim(each, now)))
}

const toClaim = ({ present, span, rooms, organizer }: WantedEvent, now: string) => ({
  bookables: rooms,
  span,
  user: organizer,
  now,
  hasVehicle: false,
  event: present.id,
})

function createSavedEvent(
  { present, span, rooms, organizer }: WantedEvent,
  body: EventBody,
  given: GivenIds,
): Event {
  const isNew = present.from === ''
  const invites = present.invites || given.invites
  const isMoved = span.from !== present.from || span.to !== present.to
  const people = updatePeople(present.people, body.attendees, organizer, given.attendeeIds).map((each) =>
    !isNew && invites && isMoved && each.role === 1 ? { ...each, status: 0 } : each,
  )
  const { name, classification = 3 } = body
  return { ...present, ...span, name, classification, organizer, people, rooms, invites }
}

function findEventErrors(state: State, { organizer_user_id, attendees }: EventBody, { from, to }: Span) {
  const errors: Record<string, string[]> = {}
  if (to <= from) errors.to_time = END_NOT_AFTER_START.to_time
  if (organizer_user_id !== undefined && !findUser(state, organizer_user_id).isActive) {
    errors.organizer_user_id = UNKNOWN_USER
  }
  for (const [place, { type, id }] of attendees.entries()) {
    if (type === 'user' && !findUser(state, id ?? 0).isActive) errors[`attendees.${place}.id`] = UNKNOWN_USER
  }
  return errors
}

function updatePeople(present: Person[], attendees: Attendee[], organizer: number, ids: number[]): Person[] {
  const wanted = [
    ...new Set([organizer, ...listIds(attendees, 'user')]),
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

function listIds(attendees: Attendee[], type: Attendee['type']): number[] {
  return [...new Set(attendees.filter((each) => each.type === type).map(({ id }) => id as number))]
}

function createEventAnswer(
  state: State,
  { id, name, from, to, classification, organizer, people, rooms }: Event,
) {
  return {
    id,
    name,
    from,
    to,
    classification,
    status: 1,
    organizer: { name: findUser(state, organizer).name },
    attendees: people.map(({ id: own, user, email, role, status }) => {
      const known = user === null ? { name: email, email } : findUser(state, user)
      return { id: own, name: known.name, email: known.email, role, status }
    }),
    bookables: rooms.map((room) => {
      const { name: roomName, tags } = findBookable(state, room)
      return { id: room, name: roomName, tags, capacity: 0, integration_email: '' }
    }),
  }
}
