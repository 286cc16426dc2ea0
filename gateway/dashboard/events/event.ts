// The page of one event: when and where it is, who organizes it, and who has responded; and these in words.

import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { message } from '../../../shared/messages/message.ts'
import { type Html, html } from '../../http/html.ts'
import { showHistory } from '../audit-log/audit-entry.ts'
import { backPath } from '../kit/back.ts'
import type { Call } from '../kit/page.ts'
import { type Sentence, sentence, t, translate } from '../locales/translate.ts'
import { type BookableChoice, findBookables, showExceptionalStatus } from '../search/choices.ts'
import { showInstant } from '../time/instants.ts'
import { formatZone } from '../time/zones.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { resource } from '../ui/declared-pages.ts'
import { type Column, showFacts, showInactive, showLink, showLinkOrText, table } from '../ui/parts.ts'
import { type Attendee, type EventDetails, findEvent } from './queries.ts'

export const eventPages = resource({
  path: '/events/{id}',
  section: 'Events',
  readers: 'front-desk',
  writers: 'front-desk',
  missing: message`This event does not exist.`,
  find: (call) => findEvent(call.reads, call.params.id),
  above: (_found, call) => [[t`Events`, backPath(call, '/events')]],
  nameOf: ({ name }) => name,
})

export const event = eventPages.page({
  title: sentence`Event`,
  readers: 'reader',
  async show(call, found) {
    const rooms = await findBookables(call.reads, found.roomIds)
    const { name, description, attendees } = found
    const isPast = found.to <= call.now
    const noRooms = isCancelled(found) ? t`Its rooms became free when it was cancelled.` : t`No rooms.`
    return {
      title: name,
      tools: isPast ? html`` : tools(call, found),
      content: html`<section class="card" aria-labelledby="facts"><h2 id="facts">${t`Details`} ${showEventStatus(found, call.now)}</h2>
${eventFacts(call, found)}${description && html`<div class="words">${description}</div>`}</section>
<section aria-labelledby="rooms"><div class="head"><h2 id="rooms">${t`Rooms`}</h2></div>
${table(t`Rooms`, roomColumns(call), rooms, noRooms)}</section>
<section aria-labelledby="people"><div class="head"><h2 id="people">${t`People`}</h2></div>
${table(t`People`, peopleColumns(call), attendees, t`No attendees.`)}</section>
${await showHistory(call, 'events', found.id, found.fromZone)}`,
    }
  },
})

function tools(call: Call<{ id: number }>, found: EventDetails): Html | null {
  const change = eventPages.address(call, '/change')
  if (isCancelled(found)) return showLink(change, t`Reinstate event`, { class: 'button quiet' })
  return html`${showLink(change, t`Change`, { class: 'button quiet' })}
${showLink(eventPages.address(call, '/cancel'), t`Cancel event`, { class: 'button quiet' })}`
}

function eventFacts(call: Call, found: EventDetails): Html {
  const { from, to, fromZone, toZone } = found
  return showFacts([
    [t`From`, showInZone(from, fromZone)],
    [t`Until`, showInZone(to, toZone)],
    [
      t`Organizer`,
      html`${showLinkOrText(call.link(`/people/${found.organizerId}`), found.organizer)}
<span class="soft">${found.organizerEmail}</span>${showInactive({ isActive: found.isOrganizerActive })}`,
    ],
    [t`Classification`, translateAt(CLASSIFICATIONS, found.classification)],
    [t`Created`, showInstant(found.createdAt, fromZone)],
  ])
}

function showInZone(at: string, zone: string): Html {
  return html`${showInstant(at, zone)}${zone !== 'UTC' && html` <span class="soft">${formatZone(zone)}</span>`}`
}

function roomColumns(call: Call): Column<BookableChoice>[] {
  return [
    { label: t`Name`, show: (room) => showRoom(call, room) },
    { label: t`Type`, show: ({ type }) => formatBookableType(type) },
    { label: t`Location`, show: ({ location, building }) => `${location}, ${building}` },
  ]
}

function showRoom(call: Call, room: BookableChoice): Html {
  const { id, name, isDeleted } = room
  const shown = isDeleted ? name : showLinkOrText(call.link(`/places/bookables/${id}`), name)
  return html`${shown} ${showExceptionalStatus(room)}`
}

function peopleColumns(call: Call): Column<Attendee>[] {
  return [
    {
      label: t`Name`,
      show: ({ userId, name, isActive }) =>
        userId === null
          ? html`${name} <span class="badge">${t`visitor`}</span>`
          : html`${showLinkOrText(call.link(`/people/${userId}`), name)}${showInactive({ isActive })}`,
    },
    { label: t`E-mail`, show: ({ email }) => email },
    { label: t`Role`, show: ({ role }) => translateAt(ROLES, role) },
    { label: t`Response`, show: ({ status }) => showResponse(status) },
  ]
}

export const CLASSIFICATIONS = [
  sentence`Public`,
  sentence`Private`,
  sentence`Confidential`,
  sentence`Default`,
] as const

const ROLES = [sentence`organizer`, sentence`attendee`] as const
const RESPONSES = [
  sentence`no response`,
  sentence`accepted`,
  sentence`tentative`,
  sentence`declined`,
] as const
const TONES = ['', 'good', 'warn', 'bad'] as const

function showResponse(status: number): Html {
  return html`<span class="badge ${TONES[status]}">${translateAt(RESPONSES, status)}</span>`
}

export function isCancelled({ status }: { status: number }): boolean {
  return status === EVENT_STATUSES.cancelled
}

export function showEventStatus(
  event: { status: number; from: string; to: string },
  now: string,
): Html | false {
  if (isCancelled(event)) return html`<span class="badge bad">${t`cancelled`}</span>`
  if (event.to <= now) return html`<span class="badge">${t`over`}</span>`
  return event.from <= now && html`<span class="badge good">${t`now`}</span>`
}

function translateAt(sentences: readonly Sentence[], index: number): string {
  const found = sentences[index]
  return found === undefined ? '' : translate(found)
}
