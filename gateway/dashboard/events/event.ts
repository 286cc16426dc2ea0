// The page of one event: when and where it is, who organizes it, and who has responded.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../http/html.ts'
import { showHistory } from '../audit-log/history.ts'
import { backPath, backQuery, keepBack, type Returning } from '../kit/back.ts'
import { type Call, page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { type BookableChoice, findBookables } from '../search/choices.ts'
import { showExceptionalStatus } from '../search/choosers.ts'
import { showInstant } from '../time/instants.ts'
import { formatZone } from '../time/zones.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { showFacts, showInactive } from '../ui/parts.ts'
import { type Column, table } from '../ui/tables.ts'
import { type Attendee, type EventDetails, findEvent } from './queries.ts'
import { formatClassification, formatRole, isCancelled, showEventStatus, showResponse } from './words.ts'

export const missingEvent = message`This event does not exist.`

export const event = page({
  path: '/events/{id}',
  title: sentence`Event`,
  section: 'Events',
  readers: 'reader',
  writers: 'front-desk',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingEvent,
  async show(call) {
    const found = await requireEvent(call)
    const rooms = await findBookables(call.reads, found.roomIds)
    const { name, description, attendees } = found
    const isPast = found.to <= call.now
    const noRooms = isCancelled(found) ? t`Its rooms became free when it was cancelled.` : t`No rooms.`
    return {
      breadcrumbs: [[t`Events`, backPath(call, '/events')]],
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

export async function requireEvent(call: Call<{ id: number }>): Promise<EventDetails> {
  const found = await findEvent(call.reads, call.params.id)
  if (!found) throw new Refusal('not_found', missingEvent)
  return found
}

function tools(call: Returning, found: EventDetails): Html | null {
  const change = call.link(keepBack(call, `/events/${found.id}/change`))
  if (isCancelled(found)) return showLink(change, t`Reinstate event`, { class: 'button quiet' })
  return html`${showLink(change, t`Change`, { class: 'button quiet' })}
${showLink(call.link(keepBack(call, `/events/${found.id}/cancel`)), t`Cancel event`, { class: 'button quiet' })}`
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
    [t`Classification`, formatClassification(found.classification)],
    [t`Created`, showInstant(found.createdAt, fromZone)],
  ])
}

function showInZone(at: string, zone: string): Html {
  return html`${showInstant(at, zone)}${zone !== 'UTC' && html` <span class="soft">${formatZone(zone)}</span>`}`
}

function roomColumns(call: Call): Column<BookableChoice>[] {
  return [
    {
      label: t`Name`,
      isHead: true,
      show: (room) =>
        room.isDeleted
          ? html`${room.name} ${showExceptionalStatus(room)}`
          : html`${showLinkOrText(call.link(`/places/bookables/${room.id}`), room.name)} ${showExceptionalStatus(room)}`,
    },
    { label: t`Type`, show: ({ type }) => formatBookableType(type) },
    { label: t`Location`, show: ({ location, building }) => `${location}, ${building}` },
  ]
}

function peopleColumns(call: Call): Column<Attendee>[] {
  return [
    {
      label: t`Name`,
      isHead: true,
      show: ({ userId, name, isActive }) =>
        userId === null
          ? html`${name} <span class="badge">${t`visitor`}</span>`
          : html`${showLinkOrText(call.link(`/people/${userId}`), name)}${showInactive({ isActive })}`,
    },
    { label: t`E-mail`, show: ({ email }) => email },
    { label: t`Role`, show: ({ role }) => formatRole(role) },
    { label: t`Response`, show: ({ status }) => showResponse(status) },
  ]
}
