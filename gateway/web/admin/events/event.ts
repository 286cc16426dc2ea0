// The pages of events: the list of events with time and place, including cancelled events, and the page of
// one event, with its organizer and the responses.
import { EVENT_STATUSES } from '../../../../shared/events/events.ts'
import { message } from '../../../../shared/messages/message.ts'
import { object, text } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import { findBackPath, findReturnAddress } from '../../pages/page/back.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { type BookableChoice, findBookables, showExceptionalStatus } from '../../pages/search/choices.ts'
import { createDayListQuery, showDayList, suggestOtherSearch } from '../../pages/search/day-search.ts'
import { formatEnd, formatInstant, showInstant } from '../../pages/time/instants.ts'
import { formatBookableType } from '../../pages/ui/bookables.ts'
import { defineResourcePages } from '../../pages/ui/declared-pages.ts'
import { choices } from '../../pages/ui/fields.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import {
  type Column,
  showFactList,
  showInactiveBadge,
  showLink,
  showLinkOrText,
  showTable,
} from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { showHistory } from '../audit-log/audit-entry.ts'
import {
  type Attendee,
  EVENT_ORDERS,
  type EventDetails,
  type EventRow,
  findEvent,
  searchEvents,
} from './queries.ts'

export const eventPages = defineResourcePages({
  path: '/events/{id}',
  section: 'Events',
  readers: 'front-desk',
  writers: 'front-desk',
  missing: message`This meeting does not exist.`,
  find: (call) => findEvent(call.reads, call.params.id),
  above: (_found, call) => [[t`Meetings`, findBackPath(call, '/events')]],
  nameOf: ({ name }) => name,
})

export const eventPage = eventPages.page({
  title: sentence`Meeting`,
  readers: 'reader',
  async show(call, found) {
    const rooms = await findBookables(call.reads, found.roomIds)
    const { name, description, attendees } = found
    const isPast = found.to <= call.now
    const noRooms = isCancelled(found)
      ? t`The rooms were released when the meeting was cancelled.`
      : t`No rooms.`
    return {
      title: name,
      tools: isPast ? html`` : showActions(call, found),
      content: html`<section class="card" aria-labelledby="facts"><h2 id="facts">${t`Details`} ${showEventStatus(found, call.now)}</h2>
${showEventFacts(call, found)}${description && html`<div class="words">${description}</div>`}</section>
<section aria-labelledby="rooms"><div class="head"><h2 id="rooms">${t`Rooms`}</h2></div>
${showTable(t`Rooms`, createRoomColumns(call), rooms, noRooms)}</section>
<section aria-labelledby="people"><div class="head"><h2 id="people">${t`People`}</h2></div>
${showTable(t`People`, createPeopleColumns(call), attendees, t`No attendees.`)}</section>
${await showHistory(call, 'events', found.id, found.fromZone)}`,
    }
  },
})

function showActions(call: Call<{ id: number }>, found: EventDetails): Html | null {
  const change = eventPages.address(call, '/change')
  if (isCancelled(found)) return showLink(change, t`Reinstate meeting`, { class: 'button quiet' })
  return html`${showLink(change, t`Change`, { class: 'button quiet' })}
${showMoreMenu([showLink(eventPages.address(call, '/cancel'), t`Cancel meeting`, { class: 'danger' })])}`
}

function showEventFacts(call: Call, found: EventDetails): Html {
  const { from, to, fromZone, toZone } = found
  return showFactList([
    [t`From`, showInstant(from, fromZone)],
    [t`Until`, showInstant(to, toZone)],
    [
      t`Organizer`,
      html`${showLinkOrText(call.link(`/people/${found.organizerId}`), found.organizer)}
<span class="soft">${found.organizerEmail}</span>${showInactiveBadge({ isActive: found.isOrganizerActive })}`,
    ],
    [t`Classification`, translateByIndex(CLASSIFICATION_NAMES, found.classification)],
    [t`Created`, showInstant(found.createdAt, fromZone)],
  ])
}

function createRoomColumns(call: Call): Column<BookableChoice>[] {
  return [
    { label: t`Name`, show: (room) => showRoom(call, room) },
    { label: t`Type`, show: ({ type }) => formatBookableType(type) },
    { label: t`Floor`, show: ({ location, building }) => `${location}, ${building}` },
  ]
}

function showRoom(call: Call, room: BookableChoice): Html {
  const { id, name, isDeleted } = room
  const shown = isDeleted ? name : showLinkOrText(call.link(`/places/bookables/${id}`), name)
  return html`${shown} ${showExceptionalStatus(room)}`
}

function createPeopleColumns(call: Call): Column<Attendee>[] {
  return [
    {
      label: t`Name`,
      show: ({ userId, name, isActive }) =>
        userId === null
          ? html`${name} <span class="badge">${t`visitor`}</span>`
          : html`${showLinkOrText(call.link(`/people/${userId}`), name)}${showInactiveBadge({ isActive })}`,
    },
    { label: t`E-mail`, show: ({ email }) => email },
    { label: t`Role`, show: ({ role }) => translateByIndex(ROLE_NAMES, role) },
    { label: t`Response`, show: ({ status }) => showResponse(status) },
  ]
}

export const CLASSIFICATION_NAMES = [
  sentence`Public`,
  sentence`Private`,
  sentence`Confidential`,
  sentence`Default`,
] as const

const ROLE_NAMES = [sentence`organizer`, sentence`attendee`] as const
const RESPONSE_NAMES = [
  sentence`no response`,
  sentence`accepted`,
  sentence`tentative`,
  sentence`declined`,
] as const
const RESPONSE_TONES = ['', 'good', 'warn', 'bad'] as const

function showResponse(status: number): Html {
  return html`<span class="badge ${RESPONSE_TONES[status]}">${translateByIndex(RESPONSE_NAMES, status)}</span>`
}

export const isCancelled = ({ status }: { status: number }): boolean => status === EVENT_STATUSES.cancelled

export function showEventStatus(event: { status: number; from: string; to: string }, now: string) {
  if (isCancelled(event)) return html`<span class="badge bad">${t`cancelled`}</span>`
  if (event.to <= now) return html`<span class="badge">${t`over`}</span>`
  return event.from <= now && html`<span class="badge good">${t`now`}</span>`
}

function translateByIndex(sentences: readonly Sentence[], index: number): string {
  const found = sentences[index]
  return found === undefined ? '' : translate(found)
}

const STATE_CHOICES = choices(
  ['all', sentence`All`],
  ['confirmed', sentence`Confirmed`],
  ['cancelled', sentence`Cancelled`],
)

export const eventsPage = definePage({
  path: '/events',
  title: sentence`Meetings`,
  section: 'Events',
  readers: 'reader',
  writers: 'front-desk',
  query: object({
    ...createDayListQuery(EVENT_ORDERS),
    name: text({ max: 255 }),
    state: STATE_CHOICES.rule(),
  }),
  async show(call) {
    const { name, place, building, state = 'all' } = call.query
    const status = state === 'all' ? undefined : EVENT_STATUSES[state]
    const list = await showDayList(call, {
      days: 7,
      caption: t`Meetings`,
      columns: () => createColumns(call),
      find: ({ from, to }, slice, order) =>
        searchEvents(call.reads, { search: name, place, building, status, from, to }, slice, order),
      fields: (fields, ofDays) => [
        fields.search('name', t`Name`, { placeholder: t`Meeting or organizer` }),
        ofDays,
        fields.select('state', t`Status`, { options: STATE_CHOICES.options() }),
      ],
      lead: t`Times are in the time zone of each meeting.`,
      empty: showNothingFound(call, place !== undefined || building !== undefined),
    })
    const create = call.link('/events/new', { back: findReturnAddress(call) })
    return { ...list, tools: showLink(create, t`New meeting`, { class: 'button primary' }) }
  },
})

function createColumns(call: Call): Column<EventRow>[] {
  return [
    {
      label: t`Name`,
      sort: 'name',
      show: (row) =>
        html`${showLinkOrText(call.link(`/events/${row.id}`, { back: findReturnAddress(call) }), row.name)} ${showEventStatus(row, call.now)}`,
    },
    { label: t`From`, sort: 'from', isShort: true, show: (row) => formatInstant(row.from, row.fromZone) },
    { label: t`Until`, sort: 'until', isShort: true, show: formatUntil },
    { label: t`Rooms`, show: ({ rooms }) => rooms.join(', ') },
    {
      label: t`Organizer`,
      sort: 'organizer',
      show: ({ organizerId, organizer }) => showLinkOrText(call.link(`/people/${organizerId}`), organizer),
    },
    { label: t`People`, isNumber: true, show: ({ people }) => people },
  ]
}

function formatUntil({ from, to, fromZone, toZone }: EventRow): string {
  return fromZone === toZone ? formatEnd(from, to, toZone) : formatInstant(to, toZone)
}

function showNothingFound(call: Call, isOfPlace: boolean): Content {
  const week = showLinkOrText(call.link('/events'), t`see the coming week`)
  return showEmptyState(
    t`No meetings match.`,
    html`${suggestOtherSearch(week, call.link('/events/new'), t`create a meeting`)}
${isOfPlace && html`<p>${t`Cancelled meetings no longer have rooms. Search for them by name and day.`}</p>`}`,
  )
}
