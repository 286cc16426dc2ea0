// Makes the request of a command of a sequence: commands refer to positions in lists of what the sequence has created.
import type { Command, Content, Day, Hour, Repeat, Times, WantedContent, WantedDay } from './commands.ts'
import type { Scope } from './series.ts'
import type { State } from './state.ts'

export type Body = Record<string, unknown>
/** A request of the API, or with the method JOB an input of the job that `path` names. */
export type Request = { method: string; path: string; body?: Body }

/** What a sequence knows: the model's state, and the ids of everything that it has created, including deleted rows. */
export type Known = {
  state: State
  /** The number of requests so far, which makes names distinct. */
  count: number
  /** The beginning of the sequence: a whole minute, as in slots. */
  startMs: number
  ids: Record<'bookings' | 'events' | 'series' | 'eventSeries' | 'loans' | 'absences' | 'teamDays', number[]>
}

export const HOUR_MS = 3_600_000
const JOB_METHOD = 'JOB'
export const isJob = ({ method }: Request) => method === JOB_METHOD

export function createRequest(known: Known, command: Command): Request {
  const { state, ids } = known
  switch (command.write) {
    case 'createBatch': {
      const bookings = command.items.map((item) => createBookingBody(known, item))
      return { method: 'POST', path: 'bookings/batch', body: { bookings, atomic: command.atomic } }
    }
    case 'createSeries': {
      const body = { ...createBookingBody(known, command), ...repeatBody(command) }
      return { method: 'POST', path: 'bookings/series', body }
    }
    case 'deleteSeries': {
      const search = fromQuery(known, command.from)
      return { method: 'DELETE', path: `series/${at(ids.series, command.series)}${search}` }
    }
    case 'createBooking':
      return {
        method: 'POST',
        path: 'bookings',
        body: { ...createBookingBody(known, command), ...overridesOf(command) },
      }
    case 'updateBooking': {
      const { method, scope } = command
      const body = {
        ...createTimes(known, command),
        ...createVehicle(known, command.vehicle),
        ...createGuest(known, command.guest),
        ...overridesOf(command),
      }
      return {
        method,
        path: `bookings/${scopedAt(known, 'bookings', command.booking, command.scope)}?scope=${scope}`,
        body,
      }
    }
    case 'deleteBooking':
      return {
        method: 'DELETE',
        path: `bookings/${scopedAt(known, 'bookings', command.booking, command.scope)}?scope=${command.scope}`,
      }
    case 'checkIn':
      return { method: 'POST', path: `bookings/${at(ids.bookings, command.booking)}/check-in` }
    case 'createLoan': {
      const { bookables, users } = state
      const assigned = bookables.find(({ assignees }) => assignees.length > 0)
      const from = instantAt(known, 0).slice(0, 10)
      const to = instantAt(known, 24 * (command.days - 1)).slice(0, 10)
      const body = { from, to, user_id: users[command.owner]?.id }
      return { method: 'POST', path: `bookables/${assigned?.id}/loans`, body }
    }
    case 'deleteLoan': {
      const assigned = state.bookables.find(({ assignees }) => assignees.length > 0)
      return { method: 'DELETE', path: `bookables/${assigned?.id}/loans/${at(ids.loans, command.loan)}` }
    }
    case 'updateBookable': {
      const { id } = state.bookables[command.bookable] as { id: number }
      return { method: 'PATCH', path: `bookables/${id}`, body: command.changes }
    }
    case 'linkCalendar': {
      const { calendar, names } = command
      const body = { provider: 'microsoft', calendar: state.calendars[calendar], ...(names && { names }) }
      return { method: 'PUT', path: `bookables/${state.bookables[command.bookable]?.id}/calendar`, body }
    }
    case 'unlinkCalendar':
      return { method: 'DELETE', path: `bookables/${state.bookables[command.bookable]?.id}/calendar` }
    case 'setRules': {
      const { id } = state.bookables[Number(command.place)] ?? { id: undefined }
      const path = id === undefined ? `locations/${state.location.id}` : `bookables/${id}`
      const groups = command.isForGroup ? { group_ids: [state.group] } : {}
      const approvers = command.needsApproval ? { approvers: { group_ids: [state.group] } } : {}
      const slots = command.isInSlots ? { slots: listSlots(known), slot_only: true } : {}
      const { closed: hour } = command
      const times =
        hour === null ? [] : [{ from: instantAt(known, hour), to: instantAt(known, hour + 2), reason: 'r' }]
      const closed = hour === null ? {} : { closed: times }
      return {
        method: 'PUT',
        path: `${path}/rules`,
        body: { ...command.rules, ...groups, ...approvers, ...slots, ...closed },
      }
    }
    case 'createEvent':
      return { method: 'POST', path: `events${inviteQuery(command)}`, body: createEventBody(known, command) }
    case 'answer': {
      const id = at(ids.events, command.event)
      const people = state.events.find((each) => each.id === id)?.people ?? []
      const path = `events/${id}/attendees/${people[command.person]?.id ?? 999_999}/answer`
      return { method: 'POST', path, body: { status: command.status } }
    }
    case 'replaceEvent':
      return {
        method: 'PUT',
        path: `events/${scopedAt(known, 'events', command.event, command.scope)}?scope=${command.scope}${command.invites ? '&invite=true' : ''}`,
        body: createEventBody(known, command),
      }
    case 'createAbsence': {
      const { first, days, releases } = command
      const body = {
        from: dateAt(known, first),
        to: dateAt(known, first + days - 1),
        release_bookings: releases,
      }
      return { method: 'POST', path: `users/${userAt(known, command.user)}/absences`, body }
    }
    case 'deleteAbsence': {
      const id = at(ids.absences, command.absence)
      const owner = state.absences.find((each) => each.id === id)?.user ?? userAt(known, 0)
      return { method: 'DELETE', path: `users/${owner}/absences/${id}` }
    }
    case 'setDays': {
      const days = new Map(
        command.days.map((each) => createWorkDay(known, each)).map((each) => [each.date, each]),
      )
      const user_id = userAt(known, command.user)
      const body = { user_id, days: [...days.values()], keeps_present: command.keeps }
      return { method: JOB_METHOD, path: 'bookings.set-days', body }
    }
    case 'createTeamDay': {
      const { day, isWeekly, isOnFloor } = command
      const when = isWeekly ? { weekday: day + 2 } : { date: dateAt(known, day) }
      const where = isOnFloor ? { location_id: state.location.id, note: 'n' } : {}
      return { method: 'POST', path: `groups/${state.group}/team-days`, body: { ...when, ...where } }
    }
    case 'deleteTeamDay':
      return {
        method: 'DELETE',
        path: `groups/${state.group}/team-days/${at(ids.teamDays, command.teamDay)}`,
      }
    case 'setLeads': {
      const body = { user_ids: command.users.map((each) => userAt(known, each)), anybody: command.anybody }
      return { method: 'PUT', path: `groups/${state.group}/leads`, body }
    }
    case 'cancelEvent':
      return {
        method: 'DELETE',
        path: `events/${scopedAt(known, 'events', command.event, command.scope)}?scope=${command.scope}`,
      }
    case 'createEventSeries': {
      const body = { ...createEventBody(known, command), ...repeatBody(command) }
      return { method: 'POST', path: `events/series${inviteQuery(command)}`, body }
    }
    case 'cancelEventSeries': {
      const search = fromQuery(known, command.from)
      return { method: 'DELETE', path: `event-series/${at(ids.eventSeries, command.series)}${search}` }
    }
  }
}

function createBookingBody(known: Known, command: WantedContent): Body {
  const { vehicle, guest } = command
  return {
    bookable_id: known.state.bookables[command.bookable]?.id,
    location_id: known.state.location.id,
    user_id: userAt(known, command.user),
    ...createTimes(known, command),
    ...createVehicle(known, vehicle),
    ...(guest ? { guest_name: `Guest ${known.count}` } : {}),
  }
}

const createGuest = ({ count }: Known, guest: boolean | 'absent') =>
  guest === 'absent' ? {} : { guest_name: guest ? `Guest ${count}` : null }

function createEventBody(known: Known, command: Content & { organizer: number | 'absent' }): Body {
  const { organizer, rooms, users, visitors, classification } = command
  return {
    name: `Event ${known.count}`,
    ...createTimes(known, command),
    ...(organizer === 'absent' ? {} : { organizer_user_id: userAt(known, organizer) }),
    ...(classification === 'absent' ? {} : { classification }),
    attendees: [
      ...rooms.map((room) => ({ type: 'bookable', id: known.state.bookables[room]?.id })),
      ...users.map((user) => ({ type: 'user', id: userAt(known, user) })),
      ...visitors.map((visitor) => ({ type: 'visitor', email: `visitor${visitor}@example.com` })),
    ],
  }
}

function userAt(known: Known, place: number): number | undefined {
  return known.state.users[place]?.id
}

function createTimes(known: Known, { from, hours }: Times): Body {
  const start = from === 'absent' ? {} : { from_time: from === 'now' ? null : instantAt(known, from) }
  return { ...start, to_time: instantAt(known, (typeof from === 'number' ? from : 0) + hours) }
}

function createVehicle(known: Known, vehicle: number | null | 'absent'): Body {
  if (vehicle === 'absent') return {}
  return { user_vehicle_id: vehicle === null ? null : known.state.users[vehicle]?.vehicle }
}

/** Slots of an hour each, from three hours before the beginning of the sequence. There is none at hour 4. */
function listSlots(known: Known) {
  const hours = [-3, -2, -1, 0, 1, 2, 3, 5, 6]
  const timeAt = (hour: number) => instantAt(known, hour).slice(11, 16)
  const all = hours.map((hour) => ({ name: `Slot ${hour}`, from: timeAt(hour), to: timeAt(hour + 1) }))
  return all.filter(({ from, to }) => from < to)
}

// Shifts hours by half an hour, so that no time is close to now.
function instantAt(known: Known, hour: Hour): string {
  return formatMicroseconds(known.startMs + (hour - 0.5) * HOUR_MS)
}

/** Writes with a scope are about rows of a series, if there are any. */
function scopedAt({ state, ids }: Known, rows: 'bookings' | 'events', place: number, scope: Scope): number {
  const ofSeries = state[rows].filter(({ series }) => series !== null).map(({ id }) => id)
  return at(scope === 'one' || ofSeries.length === 0 ? ids[rows] : ofSeries, place)
}

function createWorkDay(known: Known, { day, hour, hours, choices }: WantedDay) {
  const { bookables, location } = known.state
  const from_time = instantAt(known, hour + 24 * day)
  const place = { location_id: location.id, from_time, to_time: instantAt(known, hour + 24 * day + hours) }
  const wanted = choices.map((each) => ({ bookable_id: bookables[each]?.id, ...place }))
  return { date: from_time.slice(0, 10), choices: wanted }
}

const dateAt = (known: Known, day: Day) => instantAt(known, 24 * day).slice(0, 10)

function repeatBody({ interval, count, skips }: Repeat): Body {
  return { repeat: { every: 'day', interval, count }, on_conflict: skips ? 'skip' : 'refuse' }
}

const fromQuery = (known: Known, from: Hour | null) =>
  from === null ? '' : `?${new URLSearchParams({ from: instantAt(known, from) })}`

const overridesOf = ({ overrides }: { overrides: boolean }) => (overrides ? { overrides_absence: true } : {})

const inviteQuery = ({ invites }: Pick<Content, 'invites'>) => (invites ? '?invite=true' : '')

// Returns an unused id if the list is still empty.
export function at(ids: number[], place: number): number {
  return ids[place % Math.max(1, ids.length)] ?? Number.MAX_SAFE_INTEGER
}
export function formatMicroseconds(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}
