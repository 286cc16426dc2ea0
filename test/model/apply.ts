// Applies a write that was sent to the model, with what only the answer or the database tells: ids, and the moment of
// the write.
import type { Rules } from '../../shared/rules/rules.ts'
import type { ApiAnswer } from '../support/http/http.ts'
import { createAbsence, deleteAbsence } from './absences.ts'
import type { Command } from './commands.ts'
import * as events from './events.ts'
import { createLoan, deleteLoan } from './loans.ts'
import * as model from './model.ts'
import type { ExpectedAnswer } from './refusals.ts'
import type { Body } from './requests.ts'
import { type LinkBody, linkCalendar, unlinkCalendar } from './room-calendars.ts'
import { checkIn, setRules } from './rules.ts'
import { deleteBookings, deleteSeries, updateBookings } from './series.ts'
import { type BatchBody, createBatch, createSeries, type SeriesBody } from './several.ts'
import type { State } from './state.ts'
import { createTeamDay, deleteTeamDay, type LeadsBody, setLeads, type TeamDayBody } from './team-days.ts'
import { setWorkDays } from './work-days.ts'

export type Apply = (state: State) => ExpectedAnswer

export type SentWrite = {
  path: string
  body?: Body
  answer: ApiAnswer
  now: string
  /** The ids of bookings that the database inserted, in order. */
  inserted: number[]
  /** The owner of the personal token that sent the write. */
  sender: number | undefined
}

type CreatedEvent = { id: number; attendees: Array<{ id: number }> }

export function createApply(
  command: Command,
  { path, body, answer, now, inserted, sender }: SentWrite,
): Apply {
  const id = Number.parseInt(path.split('/')[1] ?? '', 10)
  const data = answer.status === 200 ? answer.json.data : undefined
  const given = {
    id: data?.id ?? -1,
    invites: 'invites' in command && command.invites,
    attendeeIds: (data?.attendees ?? []).map((each: { id: number }) => each.id),
  }
  switch (command.write) {
    case 'createBatch':
      return (state) => createBatch(state, sent<BatchBody>(body, now), listBatchIds(answer))
    case 'createSeries':
      return (state) =>
        createSeries(state, sent<SeriesBody>(body, now), { id: given.id, ids: listSeriesIds(answer) })
    case 'deleteSeries':
      return (state) => deleteSeries(state, id, readFrom(path), now)
    case 'cancelEventSeries':
      return (state) => events.cancelEventSeries(state, id, readFrom(path), now)
    case 'cancelEvent':
      return (state) => events.cancelEvent(state, { id, scope: command.scope }, now)
    case 'createEventSeries': {
      const created = (data?.created ?? []).map((event: CreatedEvent) => ({
        id: event.id,
        attendeeIds: event.attendees.map((each) => each.id),
      }))
      return (state) => events.createEventSeries(state, sent(body, now), { ...given, created })
    }
    case 'createAbsence':
      return (state) => createAbsence(state, id, sent(body, now), { id: given.id, added: [...inserted] })
    case 'deleteAbsence':
      return (state) => deleteAbsence(state, id, Number(path.split('/')[3]))
    case 'setDays': {
      const booked = readBookedDays(answer)
      const ids = [...booked.values()].map((each) => each.id)
      const added = inserted.filter((each) => !ids.includes(each))
      return (state) => setWorkDays(state, sent(body, now), { booked, added: [...added] })
    }
    case 'createTeamDay':
      return (state) => createTeamDay(state, sender, body as TeamDayBody, given.id)
    case 'deleteTeamDay':
      return (state) => deleteTeamDay(state, sender, Number(path.split('/')[3]))
    case 'setLeads':
      return (state) => setLeads(state, body as LeadsBody)
    case 'createBooking':
      return (state) => model.createBooking(state, sent(body, now), data?.[0].id ?? -1, sender)
    case 'updateBooking':
      return (state) => updateBookings(state, { id, scope: command.scope }, sent(body, now))
    case 'deleteBooking':
      return (state) => deleteBookings(state, { id, scope: command.scope }, now)
    case 'checkIn':
      return (state) => checkIn(state, id, now)
    case 'createLoan':
      return (state) => createLoan(state, id, sent(body, now), given.id)
    case 'deleteLoan':
      return (state) => deleteLoan(state, id, Number(path.split('/')[3]), now)
    case 'updateBookable':
      return (state) => model.updateBookable(state, id, command.changes)
    case 'linkCalendar':
      return (state) => linkCalendar(state, id, body as LinkBody)
    case 'unlinkCalendar':
      return (state) => unlinkCalendar(state, id)
    case 'setRules':
      return (state) => setRules(state, path.startsWith('bookables') ? id : undefined, body as Rules)
    case 'createEvent':
      return (state) => events.createEvent(state, sent(body, now), given)
    case 'answer':
      return (state) =>
        events.answerInvitation(state, { id, attendee: Number(path.split('/')[3]) }, sent(body, now))
    case 'replaceEvent':
      return (state) => events.replaceEvent(state, { id, scope: command.scope }, sent(body, now), given)
  }
}

// Converts a request for the model. The generator guarantees its format.
function sent<Of>(body: Body | undefined, now: string): model.TimedRequest<Of> {
  return { body: body as Of, now }
}

const readFrom = (path: string) => new URL(path, 'http://stage/').searchParams.get('from') ?? undefined

type Item = { booking?: { id: number } }

export function listBatchIds({ status, json }: ApiAnswer): number[] {
  return status === 200 ? json.data.flatMap(({ booking }: Item) => booking?.id ?? []) : []
}

export function listSeriesIds({ status, json }: ApiAnswer): number[] {
  return status === 200 ? json.data.created.map(({ id }: { id: number }) => id) : []
}

type BookedDay = { date: string; booking?: { id: number; bookable: { id: number } } }

function readBookedDays({ status, json }: ApiAnswer): Map<string, { id: number; bookable: number }> {
  const days: BookedDay[] = status === 200 ? json.data : []
  return new Map(
    days.flatMap(({ date, booking }) =>
      booking ? [[date, { id: booking.id, bookable: booking.bookable.id }] as const] : [],
    ),
  )
}
