// The page of one user: the user's bookings and events, and what integrators need (vehicle ids, attributes).
import { getTextField, OPTIONAL_TEXTS } from '../../../../shared/imports/user-columns.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import type { ExportFormat } from '../../../../shared/users/users.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { formatMessage, plural, sentence, t } from '../../locales/translate.ts'
import { removeAbsenceForm } from '../../pages/absences/absences.ts'
import { createCalendar } from '../../pages/calendars/create-calendar.ts'
import { type CallWithReturnPath, findBackPath } from '../../pages/page/back.ts'
import { startExport } from '../../pages/page/downloads.ts'
import type { Call } from '../../pages/page/page.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { showAvatar } from '../../pages/ui/avatars.ts'
import { defineResourcePages } from '../../pages/ui/declared-pages.ts'
import { form } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { type Column, showCard, showFactList, showLink, showTable } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { showHistory } from '../audit-log/audit-entry.ts'
import { showExportLinks } from '../bookings/bookings.ts'
import { showRefusedBookings } from '../bookings/refused-bookings.ts'
import { showCalendarCard } from '../calendars/calendars.ts'
import { findUser, missingUser, type UserDetails } from './queries.ts'
import { recordAbsence, removeAbsence, showAbsencesCard, userAbsenceForm } from './user-absences.ts'
import {
  listAssignedBookables,
  listFutureBookings,
  listPastBookings,
  showAssignedBookables,
  showBookings,
  showEvents,
} from './user-bookings.ts'

export const userPages = defineResourcePages({
  path: '/people/{id}',
  section: 'People',
  missing: missingUser,
  find: (call) => findUser(call.reads, call.params.id),
  above: (_found, call) => [[t`People`, findBackPath(call, '/people')]],
  nameOf: ({ name }) => name,
})

export const userPage = userPages.page({
  title: sentence`Person`,
  readers: 'reader',
  downloads: { csv: (call) => exportBookings('csv', call), xlsx: (call) => exportBookings('xlsx', call) },
  actions: (action) => ({
    'create-calendar': action(object({}), (call) => createCalendar(call, 'user_id')),
    'record-absence': action(userAbsenceForm, recordAbsence),
    'remove-absence': action(removeAbsenceForm, removeAbsence),
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
    const plates = showTable(t`Vehicles`, createVehicleColumns(), vehicles, t`No vehicles.`)
    const current = showBookings(
      call,
      t`Current and upcoming bookings`,
      bookings,
      t`No current or upcoming bookings.`,
    )
    const release = userPages.address(call, '/release')
    const create = call.link('/bookings/new', { user: id })
    const bookingTools = isDeactivated
      ? bookings.length > 0 && showLink(release, t`Release bookings`, { class: 'button danger' })
      : html`${showLink(create, t`New booking`, { class: 'button quiet' })}
${showMoreMenu(
  [
    showLink(call.link('/bookings/test', { user: id }), t`Test a booking`),
    bookings.length > 0 &&
      showLink(userPages.address(call, '/cancel-bookings'), t`Cancel several`, { class: 'danger' }),
  ],
  t`Current and upcoming bookings`,
)}`
    return {
      title: name,
      lead: isDeactivated
        ? html`<span class="badge warn">${t`deactivated`}</span> ${showRelativeInstant(deactivatedAt, call.now)}`
        : undefined,
      tools: showActions(call, isDeactivated),
      content: html`${isDeactivated && assigned.length > 0 && showAssignmentsWarning(assigned.length)}<section class="card"><p>${showAvatar({ id, name }, { isLarge: true })}</p>
${showUserFacts(call, found)}</section>
${assigned.length > 0 && showCard(t`Assigned desks and rooms`, showAssignedBookables(call, assigned))}
${showSection('vehicles', t`Vehicles`, plates)}
${showSection('bookings', t`Current and upcoming bookings`, current, bookingTools)}
${showSection('events', t`Current and upcoming meetings`, await showEvents(call))}
${showSection('past', t`Last bookings`, html`${showBookings(call, t`Last bookings`, past, t`No past bookings.`)}${bookings.length + past.length > 0 && showExportLinks(call)}`)}
${await showRefusedBookings(call, { user: id })}
${isDeactivated ? null : await showAbsencesCard(call, id)}${isDeactivated ? null : await showCalendarCard(call, 'user_id', id)}
${await showHistory(call, 'users', id)}`,
    }
  },
})

/** Exports all bookings of a person: current, upcoming and past ones. */
const exportBookings = (format: ExportFormat, call: Call<{ id: number }>) =>
  startExport(call, `bookings-of-person-${call.params.id}`, 'bookings.export', {
    format,
    user: call.params.id,
  })

function showSection(id: string, title: string, content: Html, more?: Content): Html {
  return html`<section aria-labelledby="${id}"><div class="head"><h2 id="${id}">${title}</h2>${more && html`<div class="tools">${more}</div>`}</div>
${content}</section>`
}

function showAssignmentsWarning(count: number): Html {
  const sentences = plural(
    count,
    '# desk or room is still assigned to this deactivated person, and nobody else can book it. End the assignment below.',
    '# desks and rooms are still assigned to this deactivated person, and nobody else can book them. End the assignment below.',
  )
  return showNotice('warn', sentences)
}

function showActions(call: CallWithReturnPath & Call<{ id: number }>, isDeactivated: boolean): Html {
  const link = (below: string, label: string, style: string) =>
    showLink(userPages.address(call, below), label, { class: style })
  const erase = link('/erase', t`Erase`, 'danger')
  const signIn = call.services.config.peoplePages && link('/sign-in-link', t`Sign-in link`, '')
  const handOver = link('/hand-over', t`Hand over to…`, '')
  const more = isDeactivated
    ? [handOver, erase]
    : [signIn, handOver, link('/deactivate', t`Deactivate`, 'danger'), erase]
  return html`${isDeactivated && form(call, { action: 'restore', submit: t`Restore`, isInline: true })}
${link('/edit', t`Edit`, 'button quiet')}${showMoreMenu(more)}`
}

/** Shows `extensionAttribute7`, as the API and files call it, as “Attribute 7”. */
export const formatAttribute = (name: string): string => t`Attribute ${name.replace(/\D/g, '')}`

function showUserFacts(call: Call, user: UserDetails): Html {
  const { id, email, groups, attributes, createdAt, updatedAt } = user
  const none = html`<span class="soft">${t`none`}</span>`
  const given = Object.entries(attributes).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
  return showFactList([
    [t`E-mail`, email],
    ...OPTIONAL_TEXTS.map((name) => [formatMessage(getTextField(name).label), user[name] ?? none] as const),
    [t`Groups`, groups.length > 0 ? groups.map((each) => html`<span class="badge">${each}</span> `) : none],
    ...given.map(([name, value]) => [formatAttribute(name), value] as const),
    [t`ID`, html`<code>${id}</code>`],
    [t`Added`, showRelativeInstant(createdAt, call.now)],
    [t`Changed`, showRelativeInstant(updatedAt, call.now)],
  ])
}

const createVehicleColumns = (): Column<UserDetails['vehicles'][number]>[] => [
  { label: t`License plate`, show: ({ license_plate }) => license_plate },
  { label: t`ID`, show: ({ id }) => html`<code>${id}</code>` },
]
