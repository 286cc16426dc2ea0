// The page that creates or changes an event: first the time, then the people, then the rooms that are free
// for them, then the other fields. Without scripts, each step is a form or a link to this page.
// `browser/meeting.ts` does the same without leaving the page, by replacing the parts marked as slots.

import { object, queryFlag, queryId, text } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { backQuery } from '../../pages/page/back.ts'
import type { Call } from '../../pages/page/page.ts'
import { listBuildingChoices, showBuildingFilter } from '../../pages/search/choices.ts'
import { findWorkplace } from '../../pages/search/seats.ts'
import { chooseCommonZone, listZoneOptions } from '../../pages/time/zones.ts'
import { type FormOptions, showSearchForm } from '../../pages/ui/forms.ts'
import { showCard } from '../../pages/ui/parts.ts'
import { hasAnyBookingRules } from '../affected-bookings/affected-bookings-form.ts'
import { listAlternatives } from '../bookings/free-bookables.ts'
import * as attendees from './attendee-choices.ts'
import { listOrganizerOptions, showEventForm } from './form.ts'
import { findMeetingTime, type MeetingTime, meetingTimeQuery } from './meeting-time.ts'
import type { EventDetails } from './queries.ts'
import * as roomsTable from './rooms-table.ts'

const SHOWN_ALTERNATIVES_MAX = 4

export const meetingQuery = object({
  ...attendees.selectionQuery,
  ...meetingTimeQuery,
  ...backQuery,
  person: text({ max: 255 }),
  visitor: text({ max: 255 }),
  organizer: queryId(),
  building: queryId(),
  place: text({ max: 255 }),
  all: queryFlag(),
})
export type MeetingCall = Call<unknown, typeof meetingQuery.__outputType>

type Meeting = Awaited<ReturnType<typeof findMeeting>>

export function toSelection(present: EventDetails | undefined): attendees.AttendeeSelection {
  const attendees = present?.attendees ?? []
  return {
    users: attendees.map(({ userId }) => userId).filter((id) => id !== null),
    visitors: attendees.filter(({ userId }) => userId === null).map(({ email }) => email),
    rooms: present?.roomIds ?? [],
  }
}

export async function findMeeting(call: MeetingCall, present?: EventDetails) {
  const [choices, buildings] = await Promise.all([
    attendees.findAttendeeChoices(call, toSelection(present)),
    listBuildingChoices(call.reads),
  ])
  const { building, place, all } = call.query
  const zone = buildings.find(({ id }) => id === building)?.zone ?? chooseCommonZone(buildings)
  const time = findMeetingTime(call, zone, present)
  const people = choices.users.filter(({ isActive }) => isActive).length + choices.visitors.length
  const organizer = findOrganizer(call, choices, present)
  const near = organizer && (await findWorkplace(call.reads, organizer, time.span?.from ?? call.now))
  const chosen = choices.rooms
  const chosenIds = chosen.map(({ id }) => id)
  const own = present && { event: present.id, rooms: present.roomIds }
  const [list, hasRules] = await Promise.all([
    roomsTable.listRooms(call.reads, {
      span: time.span,
      chosen,
      people,
      organizer,
      near,
      zone: time.entered.zone,
      building,
      place,
      all,
      own,
    }),
    hasAnyBookingRules(call.reads, chosenIds),
  ])
  const alternatives = await findAlternatives(call, { chosen, time, list, people, organizer })
  return { choices, time, list, alternatives, hasRules, buildings, present }
}

/** Returns the chosen organizer: one of the selected people, or the current organizer. */
function findOrganizer(
  { refusedForm, query }: MeetingCall,
  { users }: attendees.AttendeeChoices,
  present?: EventDetails,
) {
  const organizerId = Number(refusedForm?.values['organizer_user_id']?.[0] ?? query.organizer)
  const active = users.filter(({ isActive }) => isActive)
  return active.find(({ id }) => id === organizerId)?.id ?? present?.organizerId ?? active[0]?.id
}

type AlternativesSearch = Pick<roomsTable.RoomSearch, 'chosen' | 'people' | 'organizer'> & {
  time: MeetingTime
  list: roomsTable.RoomList
}

async function findAlternatives(
  call: MeetingCall,
  { chosen, time: { span }, list, people, organizer }: AlternativesSearch,
): Promise<roomsTable.Alternatives[]> {
  if (!span) return []
  const taken = list.rooms.filter(({ isChosen, state }) => isChosen && state === 'taken')
  const isChosen = (id: number) => chosen.some((room) => room.id === id)
  const fits = (each: { id: number; capacity: number | null }) =>
    !roomsTable.isTooSmall(each, people) && !isChosen(each.id)
  return Promise.all(
    taken.map(async (room) => {
      const asked = { bookable: room, user: organizer, span, fits }
      return { room, free: await listAlternatives(call.reads, asked, SHOWN_ALTERNATIVES_MAX) }
    }),
  )
}

const showSlot = (name: string, content: Content) => html`<div data-slot="${name}">${content}</div>`

const showPeopleSlot = (call: MeetingCall, { choices, present }: Meeting) =>
  showSlot('people', attendees.showChosenPeople(call, choices, mapVisitorNames(present)))

const mapVisitorNames = (present: EventDetails | undefined): Map<string, string> => {
  const named = (present?.attendees ?? []).filter(
    ({ userId, name, email }) => userId === null && name !== email,
  )
  return new Map(named.map(({ email, name }) => [email, name]))
}

const showRoomsSlot = (call: MeetingCall, { list, time, hasRules }: Meeting) =>
  showSlot(
    'rooms',
    html`${roomsTable.showRooms(call, list, time)}${hasRules && html`<span hidden data-has-rules></span>`}`,
  )
const showAlternativesSlot = (call: MeetingCall, { alternatives }: Meeting) =>
  showSlot('instead', roomsTable.showAlternativesToTaken(call, alternatives))

// Lists the possible organizers. A script copies these options to the form and keeps the current selection.
function showOrganizersSlot({ choices, present }: Meeting): Html {
  const options = listOrganizerOptions(choices.users, present).map(
    ({ value, label }) => html`<option value="${value}">${label}</option>`,
  )
  return showSlot('organizers', html`<select hidden disabled data-organizers>${options}</select>`)
}

export function showSlots(call: MeetingCall, meeting: Meeting): Html {
  return html`${showPeopleSlot(call, meeting)}${showOrganizersSlot(meeting)}${showRoomsSlot(call, meeting)}${showAlternativesSlot(call, meeting)}`
}

export async function showMeeting(
  call: MeetingCall,
  options: Pick<FormOptions, 'action' | 'submit' | 'cancel'>,
  meeting: Meeting,
): Promise<Html> {
  const { choices } = meeting
  const people = html`${showPeopleSlot(call, meeting)}${showOrganizersSlot(meeting)}
<p class="unseen" role="status" data-told></p>
${await attendees.showPeopleSearch(call, choices)}`
  const rooms = html`<div data-find-rooms>${showRoomSearch(call, meeting)}</div>
${showRoomsSlot(call, meeting)}`
  const details = html`<div class="narrow" data-keep-typed>${showEventForm(call, options, meeting, showAlternativesSlot(call, meeting))}</div>`
  return html`<div data-meeting${call.liveAttributes('meeting')}>
${showCard(t`When`, html`<div data-when>${showTimeSearch(call, meeting)}</div>`, 'when')}
${showCard(t`People`, people, 'people')}
${showCard(t`Rooms`, rooms, 'rooms')}
${showCard(t`Details`, details, 'event')}</div>`
}

/** Shows a form to search by time, but only without scripts. With scripts, the event's form has these fields
 * instead. */
function showTimeSearch(call: MeetingCall, { time: { entered } }: Meeting): Html {
  const { from, to, zone } = entered
  return showSearchForm(call, t`Show rooms`, (fields) => [
    fields.time('from', t`From`, { value: from }),
    fields.time('to', t`Until`, { value: to }),
    fields.select('zone', t`Time zone`, { value: zone, options: listZoneOptions(zone), required: true }),
  ])
}

const showRoomSearch = (call: MeetingCall, { buildings }: Meeting): Html =>
  showSearchForm(call, t`Search`, (fields) => [
    showBuildingFilter(fields, buildings),
    fields.search('place', t`Find rooms`),
  ])
