// The page of one user, with what integrators need (vehicle IDs, attributes), their bookings and events.

import type pg from 'pg'
import { onlyRow } from '../../../shared/database/database.ts'
import { OPTIONAL_TEXTS, userText } from '../../../shared/imports/user-columns.ts'
import { object } from '../../../shared/schemas/fields.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import type { ExportFormat } from '../../../shared/users/users.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { showHistory } from '../audit-log/audit-entry.ts'
import { exportLinks, formatUntil } from '../bookings/bookings.ts'
import { type BookingRow, listBookings } from '../bookings/queries.ts'
import { showRefusedBookings } from '../bookings/refused-bookings.ts'
import { calendarCard, createCalendar } from '../calendars/calendars.ts'
import { showEventStatus } from '../events/event.ts'
import { type EventFacts, listEvents } from '../events/queries.ts'
import { backPath, type Returning } from '../kit/back.ts'
import { exported } from '../kit/downloads.ts'
import type { Call } from '../kit/page.ts'
import { formatMessage, plural, sentence, t } from '../locales/translate.ts'
import { BOOKED, JOIN_PLACES, number, type RowOf, selectRows } from '../search/rows.ts'
import { formatEnd, showInstant, showRelativeInstant } from '../time/instants.ts'
import { resource } from '../ui/declared-pages.ts'
import { form } from '../ui/forms.ts'
import { moreMenu } from '../ui/menu.ts'
import { type Column, card, formatFirst, showFacts, showLink, showLinkOrText, table } from '../ui/parts.ts'
import { showNotice } from '../ui/states.ts'
import { findUser, missingUser, type User } from './queries.ts'

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
  downloads: { csv: (call) => exportBookings('csv', call), xlsx: (call) => exportBookings('xlsx', call) },
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
    const release = userPages.address(call, '/release')
    const create = call.link('/bookings/new', { user: id })
    const bookingTools = isDeactivated
      ? bookings.length > 0 && showLink(release, t`Release bookings`, { class: 'button danger' })
      : html`${bookings.length > 0 && showLink(userPages.address(call, '/cancel-bookings'), t`Cancel several`, { class: 'button quiet' })}
${showLink(call.link('/bookings/test', { user: id }), t`Test a booking`, { class: 'button quiet' })}
${showLink(create, t`New booking`, { class: 'button quiet' })}`
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
${section('events', t`Current and upcoming meetings`, await showEvents(call))}
${section('past', t`Last bookings`, html`${showBookings(call, t`Last bookings`, past, t`No past bookings.`)}${bookings.length + past.length > 0 && exportLinks(call)}`)}
${await showRefusedBookings(call, { user: id })}
${isDeactivated ? null : await calendarCard(call, 'user_id', id)}
${await showHistory(call, 'users', id)}`,
    }
  },
})

/** All that they have or had. */
const exportBookings = (format: ExportFormat, call: Call<{ id: number }>) =>
  exported(call, `bookings-of-person-${call.params.id}`, 'bookings.export', { format, user: call.params.id })

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
  return showNotice('warn', sentences)
}

function tools(call: Returning & Call<{ id: number }>, isDeactivated: boolean): Html {
  const link = (below: string, label: string, style: string) =>
    showLink(userPages.address(call, below), label, { class: style })
  const erase = link('/erase', t`Erase`, 'danger')
  const signIn = call.services.config.peoplePages && link('/sign-in-link', t`Link to sign in`, '')
  const more = isDeactivated ? [erase] : [signIn, link('/deactivate', t`Deactivate`, 'danger'), erase]
  return html`${isDeactivated && form(call, { action: 'restore', submit: t`Restore`, isInline: true })}
${link('/edit', t`Edit`, 'button quiet')}${moreMenu(more)}`
}

/** `extensionAttribute7` of the API and of files. */
export const formatAttribute = (name: string): string => t`Attribute ${name.replace(/\D/g, '')}`

function userFacts(call: Call, user: User): Html {
  const { id, email, groups, attributes, createdAt, updatedAt } = user
  const none = html`<span class="soft">${t`none`}</span>`
  const given = Object.entries(attributes).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
  return showFacts([
    [t`E-mail`, email],
    ...OPTIONAL_TEXTS.map((name) => [formatMessage(userText(name).label), user[name] ?? none] as const),
    [t`Groups`, groups.length > 0 ? groups.map((each) => html`<span class="badge">${each}</span> `) : none],
    ...given.map(([name, value]) => [formatAttribute(name), value] as const),
    [t`ID`, html`<code>${id}</code>`],
    [t`Added`, showRelativeInstant(createdAt, call.now)],
    [t`Changed`, showRelativeInstant(updatedAt, call.now)],
  ])
}

const vehicleColumns = (): Column<User['vehicles'][number]>[] => [
  { label: t`License plate`, show: ({ license_plate }) => license_plate },
  { label: t`ID`, show: ({ id }) => html`<code>${id}</code>` },
]

const NAMED_MAX = 5
const BOOKINGS_SHOWN = 100
const PAST_SHOWN = 10
const EVENTS_SHOWN = 20

type AssignedBookable = RowOf<typeof BOOKED>

/** Deactivated users keep their assignments. */
export const listAssignedBookables = (reads: pg.Pool, userId: number): Promise<AssignedBookable[]> =>
  selectRows(
    reads,
    BOOKED,
    `bookable_assignees JOIN bookables ON bookables.id = bookable_assignees.bookable_id ${JOIN_PLACES}
     WHERE bookable_assignees.user_id = $1 AND bookables.deleted_at IS NULL
     ORDER BY ${naturalSql('buildings.name')}, ${naturalSql('locations.name')}, ${naturalSql('bookables.name')}, bookables.id`,
    [userId],
  )

export function describeKeptAssignments(assigned: readonly AssignedBookable[]): string {
  if (assigned.length === 0) return ''
  const bookables = assigned.map(({ bookable }) => bookable)
  const names = formatFirst(bookables, NAMED_MAX)
  return assigned.length === 1
    ? t`${names} stays assigned to them until you end the assignment.`
    : t`${names} stay assigned to them until you end the assignments.`
}

export function showAssignedBookables(call: Call, assigned: readonly AssignedBookable[]): Html {
  const items = assigned.map(
    ({ bookableId, bookable, location, building }) =>
      html`<li>${showLinkOrText(call.link(`/places/bookables/${bookableId}`), bookable)} <span class="soft">${location}, ${building}</span></li>`,
  )
  return html`<ul class="rows">${items}</ul>`
}

const FUTURE = 'bookings.user_id = $1 AND bookings.during && tstzrange($2, NULL)'

export const listFutureBookings = (reads: pg.Pool, userId: number, now: string): Promise<BookingRow[]> =>
  listBookings(
    reads,
    `WHERE ${FUTURE} ORDER BY lower(bookings.during), bookings.id LIMIT ${BOOKINGS_SHOWN + 1}`,
    [userId, now],
  )

export const listPastBookings = (reads: pg.Pool, userId: number, now: string): Promise<BookingRow[]> =>
  listBookings(
    reads,
    `WHERE bookings.user_id = $1 AND lower(bookings.during) < $2 AND upper(bookings.during) <= $2
     ORDER BY lower(bookings.during) DESC, bookings.id DESC LIMIT ${PAST_SHOWN}`,
    [userId, now],
  )

export async function countFutureBookings(reads: pg.Pool, userId: number, now: string): Promise<number> {
  const counted = { bookings: number('count(*)::int') }
  return onlyRow(await selectRows(reads, counted, `bookings WHERE ${FUTURE}`, [userId, now])).bookings
}

export function showBookings(call: Call, caption: string, rows: BookingRow[], empty: string): Html {
  const columns: Column<BookingRow>[] = [
    {
      label: t`Desk or room`,
      show: ({ id, bookable }) => showLinkOrText(call.link(`/bookings/${id}`), bookable),
    },
    { label: t`Floor`, show: ({ building, location }) => `${location}, ${building}` },
    { label: t`From`, show: ({ from, zone }) => showInstant(from, zone) },
    { label: t`Until`, show: formatUntil },
    { label: t`Plate`, show: ({ plate }) => plate },
  ]
  return showFirst(caption, columns, rows, { empty, max: BOOKINGS_SHOWN })
}

/** Current and upcoming events. One index finds those that the user attends, another those they organize. */
export async function showEvents(call: Call<{ id: number }>): Promise<Html> {
  const { id } = call.params
  const events = await listEvents(
    call.reads,
    `WHERE events.id IN (
       SELECT event_id FROM event_attendees WHERE user_id = $1
       UNION SELECT events.id FROM events WHERE organizer_user_id = $1
     ) AND events.during && tstzrange($2, NULL)
     ORDER BY lower(events.during), events.id LIMIT ${EVENTS_SHOWN + 1}`,
    [id, call.now],
  )
  const columns: Column<EventFacts>[] = [
    {
      label: t`Name`,
      show: (row) =>
        html`${showLinkOrText(call.link(`/events/${row.id}`), row.name)} ${showEventStatus(row, call.now)}`,
    },
    { label: t`From`, show: ({ from, fromZone }) => showInstant(from, fromZone) },
    { label: t`Until`, show: ({ from, to, fromZone }) => formatEnd(from, to, fromZone) },
    { label: t`Role`, show: ({ organizerId }) => (organizerId === id ? t`organizer` : t`attendee`) },
  ]
  const empty = t`No current or upcoming meetings.`
  return showFirst(t`Current and upcoming meetings`, columns, events, { empty, max: EVENTS_SHOWN })
}

function showFirst<Row>(
  caption: string,
  columns: Column<Row>[],
  rows: Row[],
  { empty, max }: { empty: string; max: number },
): Html {
  return html`${table(caption, columns, rows.slice(0, max), empty)}
${rows.length > max && html`<p class="soft">${t`Only the first ${max} are shown.`}</p>`}`
}
