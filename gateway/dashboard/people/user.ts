// The page of one user, with what integrators need (vehicle IDs, attributes), their bookings and events.

import { object } from '../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { showHistory } from '../audit-log/history.ts'
import { calendarCard, createCalendar } from '../calendars/calendars.ts'
import { backPath, backQuery, keepBack, type Returning } from '../kit/back.ts'
import type { Call } from '../kit/page.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { showRelativeInstant } from '../time/instants.ts'
import { resource } from '../ui/declared-pages.ts'
import { form } from '../ui/forms.ts'
import { showLink } from '../ui/links.ts'
import { card, showFacts } from '../ui/parts.ts'
import { type Column, table } from '../ui/tables.ts'
import { findUser, missingUser, type User } from './queries.ts'
import {
  listAssignedBookables,
  listFutureBookings,
  listPastBookings,
  showAssignedBookables,
  showBookings,
  showEvents,
} from './user-sections.ts'

export const userPages = resource({
  path: '/people/{id}',
  section: 'People',
  missing: missingUser,
  find: (call) => findUser(call.reads, call.params.id),
  above: (_found, call) => [[t`People`, backPath(call, '/people')]],
  nameOf: ({ name }) => name,
})

export const user = userPages.page({
  title: sentence`Person`,
  readers: 'reader',
  query: object(backQuery),
  actions: (action) => ({
    'create-calendar': action(object({}), (call) => createCalendar(call, 'user_id')),
    restore: action(object({}), async (call) => {
      await call.dispatch('users.restore', { ids: [call.params.id] })
      return { redirectTo: call.linkHere(), notice: t`Person restored.` }
    }),
  }),
  async show(call, found) {
    const { id } = call.params
    const [bookings, past, assigned] = await Promise.all([
      listFutureBookings(call.reads, id, call.now),
      listPastBookings(call.reads, id, call.now),
      listAssignedBookables(call.reads, id),
    ])
    const { deactivatedAt, name, vehicles } = found
    const isDeactivated = deactivatedAt !== null
    const plates = table(t`Vehicles`, vehicleColumns(), vehicles, t`No vehicles.`)
    const current = showBookings(
      call,
      t`Current and upcoming bookings`,
      bookings,
      t`No current or upcoming bookings.`,
    )
    const release = call.link(keepBack(call, `/people/${id}/release`))
    const create = call.link('/bookings/new', { user: id })
    const bookingTools = isDeactivated
      ? bookings.length > 0 && showLink(release, t`Release bookings`, { class: 'button danger' })
      : showLink(create, t`New booking`, { class: 'button quiet' })
    return {
      title: name,
      lead: isDeactivated
        ? html`<span class="badge warn">${t`deactivated`}</span> ${showRelativeInstant(deactivatedAt, call.now)}`
        : undefined,
      tools: tools(call, isDeactivated),
      content: html`${isDeactivated && assigned.length > 0 && warnOfAssignments(assigned.length)}<section class="card">${userFacts(call, found)}</section>
${assigned.length > 0 && card(t`Assigned to them`, showAssignedBookables(call, assigned))}
${section('vehicles', t`Vehicles`, plates)}
${section('bookings', t`Current and upcoming bookings`, current, bookingTools)}
${section('events', t`Current and upcoming events`, await showEvents(call))}
${section('past', t`Last bookings`, showBookings(call, t`Last bookings`, past, t`No past bookings.`))}
${isDeactivated ? null : await calendarCard(call, 'user_id', id)}
${await showHistory(call, 'users', id)}`,
    }
  },
})

function section(id: string, title: string, content: Html, more?: Content): Html {
  return html`<section aria-labelledby="${id}"><div class="head"><h2 id="${id}">${title}</h2>${more && html`<div class="tools">${more}</div>`}</div>
${content}</section>`
}

function warnOfAssignments(count: number): Html {
  const sentences = plural(
    count,
    '# desk or room is still assigned to this deactivated person, and nobody else can book it. End the assignment below.',
    '# desks and rooms are still assigned to this deactivated person, and nobody else can book them. End the assignment below.',
  )
  return html`<div class="notice warn"><p>${sentences}</p></div>`
}

function tools(call: Returning & Call<{ id: number }>, isDeactivated: boolean): Html {
  const button = (below: string, label: string) =>
    showLink(call.link(keepBack(call, `/people/${call.params.id}/${below}`)), label, {
      class: 'button quiet',
    })
  const [edit, erase] = [button('edit', t`Edit`), button('erase', t`Erase`)]
  return isDeactivated
    ? html`${edit}${erase}${form(call, { action: 'restore', submit: t`Restore`, isInline: true })}`
    : html`${edit}${button('deactivate', t`Deactivate`)}${erase}`
}

function userFacts(call: Call, { id, email, upn, groups, attributes, createdAt, updatedAt }: User): Html {
  const none = html`<span class="soft">${t`none`}</span>`
  const given = Object.entries(attributes).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
  return showFacts([
    [t`E-mail`, email],
    [t`UPN`, upn ?? none],
    [t`Groups`, groups.length > 0 ? groups.map((each) => html`<span class="badge">${each}</span> `) : none],
    ...given,
    [t`ID`, html`<code>${id}</code>`],
    [t`Added`, showRelativeInstant(createdAt, call.now)],
    [t`Changed`, showRelativeInstant(updatedAt, call.now)],
  ])
}

const vehicleColumns = (): Column<User['vehicles'][number]>[] => [
  { label: t`License plate`, isHead: true, show: ({ license_plate }) => license_plate },
  { label: t`ID`, show: ({ id }) => html`<code>${id}</code>` },
]
