// The page to create or change an event: first the time, then the people, then the rooms that are free for
// them, then the rest. Without scripts each step is a form or a link to this page. `client/meeting.ts` does
// the same without leaving the page, by replacing the parts marked as slots.
import { object, queryFlag, queryId, text } from '../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { haveRules } from '../affected-bookings/overriding.ts'
import { listAlternatives } from '../bookings/alternatives.ts'
import { backQuery } from '../kit/back.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { type BuildingChoice, listBuildingChoices } from '../search/choices.ts'
import { commonZone, zoneOptions } from '../time/zones.ts'
import { type FormOptions, searchForm } from '../ui/forms.ts'
import { type Choices, findChoices, showChosenPeople, showPeopleSearch } from './attendee-choices.ts'
import { type Selection, selectionQuery } from './attendee-selection.ts'
import { organizerOptions, showEventForm } from './form.ts'
import { type MeetingTime, meetingTimeOf, meetingTimeQuery } from './meeting-time.ts'
import type { EventDetails } from './queries.ts'
import { isTooSmall, listRooms, type OfferedRoom, type RoomList } from './rooms.ts'
import { type Alternatives, showAlternativesToTaken, showRooms } from './rooms-table.ts'

export const MEETING_EVERY_SECONDS = 15
const ALTERNATIVES_SHOWN = 4

export const meetingQuery = object({
  ...selectionQuery,
  ...meetingTimeQuery,
  ...backQuery,
  person: text({ max: 255 }),
  visitor: text({ max: 255 }),
  organizer: queryId(),
  building: queryId(),
  place: text({ max: 255 }),
  all: queryFlag(),
})
type Choosing = Call<unknown, typeof meetingQuery.__outputType>

type Meeting = {
  choices: Choices
  time: MeetingTime
  list: RoomList
  alternatives: Alternatives[]
  hasRules: boolean
  buildings: BuildingChoice[]
  present: EventDetails | undefined
}

/** The people and rooms that the event already has. */
export function selectedBy(present: EventDetails | undefined): Selection {
  const attendees = present?.attendees ?? []
  return {
    users: attendees.map(({ userId }) => userId).filter((id) => id !== null),
    visitors: attendees.filter(({ userId }) => userId === null).map(({ email }) => email),
    rooms: present?.roomIds ?? [],
  }
}

export async function findMeeting(call: Choosing, present?: EventDetails): Promise<Meeting> {
  const [choices, buildings] = await Promise.all([
    findChoices(call, selectedBy(present)),
    listBuildingChoices(call.reads),
  ])
  const time = meetingTimeOf(call, commonZone(buildings), present)
  const people = choices.users.filter(({ isActive }) => isActive).length + choices.visitors.length
  const organizer = organizerOf(call, choices, present)
  const { building, place, all } = call.query
  const own = present && { event: present.id, rooms: present.roomIds }
  const [list, hasRules] = await Promise.all([
    listRooms(call.reads, {
      span: time.span,
      chosen: choices.rooms,
      people,
      organizer,
      building,
      place,
      all,
      own,
    }),
    haveRules(
      call.reads,
      choices.rooms.map(({ id }) => id),
    ),
  ])
  const found = { choices, time, list, hasRules, buildings, present }
  return { ...found, alternatives: await findAlternatives(call, found, { people, organizer }) }
}

/** The chosen organizer: one of the selected people, or the current organizer. */
function organizerOf({ refusedForm, query }: Choosing, { users }: Choices, present?: EventDetails) {
  const organizerId = Number(refusedForm?.values['organizer_user_id']?.[0] ?? query.organizer)
  const active = users.filter(({ isActive }) => isActive)
  return active.find(({ id }) => id === organizerId)?.id ?? present?.organizerId ?? active[0]?.id
}

async function findAlternatives(
  call: Choosing,
  { choices, time: { span }, list }: Omit<Meeting, 'alternatives'>,
  { people, organizer }: { people: number; organizer: number | undefined },
): Promise<Alternatives[]> {
  if (!span) return []
  const isTaken = ({ isChosen, state }: OfferedRoom) => isChosen && state === 'taken'
  return Promise.all(
    list.rooms.filter(isTaken).map(async (room): Promise<Alternatives> => {
      const bookable = choices.rooms.find(({ id }) => id === room.id)
      if (!bookable) return { room, free: [] }
      const fits = (each: { id: number; capacity: number | null }) =>
        !isTooSmall(each, people) && !choices.rooms.some(({ id }) => id === each.id)
      const asked = { bookable, user: organizer, span, fits }
      return { room, free: await listAlternatives(call.reads, asked, ALTERNATIVES_SHOWN) }
    }),
  )
}

const slot = (name: string, content: Content) => html`<div data-slot="${name}">${content}</div>`

const peopleSlot = (call: Choosing, { choices }: Meeting) => slot('people', showChosenPeople(call, choices))
const roomsSlot = (call: Choosing, { list, time, hasRules }: Meeting) =>
  slot('rooms', html`${showRooms(call, list, time)}${hasRules && html`<span hidden data-has-rules></span>`}`)
const alternativesSlot = (call: Choosing, { alternatives }: Meeting) =>
  slot('instead', showAlternativesToTaken(call, alternatives))

// A script copies these options to the form and keeps the current selection.
function organizersSlot({ choices, present }: Meeting): Html {
  const options = organizerOptions(choices.users, present).map(
    ({ value, label }) => html`<option value="${value}">${label}</option>`,
  )
  return slot('organizers', html`<select hidden disabled data-organizers>${options}</select>`)
}

/** The parts of the page that a script replaces. */
export function showSlots(call: Choosing, meeting: Meeting): Html {
  return html`${peopleSlot(call, meeting)}${organizersSlot(meeting)}${roomsSlot(call, meeting)}${alternativesSlot(call, meeting)}`
}

export async function showMeeting(
  call: Choosing,
  options: Pick<FormOptions, 'action' | 'submit' | 'cancel'>,
  meeting: Meeting,
): Promise<Html> {
  const { choices } = meeting
  return html`<div data-meeting${call.liveAttributes('meeting')}>
<section class="card" aria-labelledby="when"><h2 id="when">${t`When`}</h2><div data-when>${showTimeSearch(call, meeting)}</div></section>
<section class="card" aria-labelledby="people"><h2 id="people">${t`People`}</h2>
${peopleSlot(call, meeting)}${organizersSlot(meeting)}
<p class="unseen" role="status" data-told></p>
${await showPeopleSearch(call, choices)}</section>
<section class="card" aria-labelledby="rooms"><h2 id="rooms">${t`Rooms`}</h2>
<div data-find-rooms>${showRoomSearch(call, meeting)}</div>
${roomsSlot(call, meeting)}</section>
<section class="card" aria-labelledby="event"><h2 id="event">${t`Details`}</h2>
<div class="narrow" data-keep-typed>${showEventForm(call, options, meeting, alternativesSlot(call, meeting))}</div></section></div>`
}

/** Used only without scripts: with scripts, the fields of the event's form stand here. */
function showTimeSearch(call: Choosing, { time: { entered } }: Meeting): Html {
  return searchForm(call, t`Show rooms`, (fields) => [
    fields.text({
      name: 'from',
      label: t`From`,
      type: 'datetime-local',
      value: entered.from,
      required: true,
    }),
    fields.text({ name: 'to', label: t`Until`, type: 'datetime-local', value: entered.to, required: true }),
    fields.select({
      name: 'zone',
      label: t`Time zone`,
      value: entered.zone,
      options: zoneOptions(entered.zone),
      required: true,
    }),
  ])
}

function showRoomSearch(call: Choosing, { buildings }: Meeting): Html {
  return searchForm(call, t`Search`, (fields) => [
    fields.select({
      name: 'building',
      label: t`Building`,
      value: call.query.building,
      options: [
        { value: '', label: t`Any` },
        ...buildings.map(({ id, name }) => ({ value: id, label: name })),
      ],
    }),
    fields.text({
      name: 'place',
      label: t`Find rooms`,
      type: 'search',
      value: call.query.place,
      maxlength: 255,
    }),
  ])
}
