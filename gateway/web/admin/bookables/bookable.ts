// The page of a bookable: its bookings, its details, its assignment, and its position on the floor plan.

import { claimsSql } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import {
  createSpanColumns,
  nullableColumn,
  numberColumn,
  selectRows,
  textColumn,
} from '../../../reads/rows/rows.ts'
import { sentence, t, tHtml } from '../../locales/translate.ts'
import { createCalendar } from '../../pages/calendars/create-calendar.ts'
import { findBackPath } from '../../pages/page/back.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatDate, formatEnd, showInstant } from '../../pages/time/instants.ts'
import {
  formatBookableType,
  showBookableStatus,
  showClosedNow,
  showLentUntil,
  splitTags,
} from '../../pages/ui/bookables.ts'
import { defineResourcePages } from '../../pages/ui/declared-pages.ts'
import { form } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { showCard, showInactiveBadge, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import * as affectedForm from '../affected-bookings/affected-bookings-form.ts'
import { defineHistoryPage } from '../audit-log/audit-entry.ts'
import { showRefusedBookings } from '../bookings/refused-bookings.ts'
import { placeCalendarForm, showCalendarCard } from '../calendars/calendars.ts'
import { createLocationBreadcrumbs, listLocationOptions } from '../places/location-pages.ts'
import { showRoomCalendarCard } from '../room-calendars/calendar-card.ts'
import { defineClosePage } from '../rules/close-place.ts'
import { defineRulesPage } from '../rules/rules-pages.ts'
import { bookableForm, parsePosition, positionForm, showBookableFields, showPositionFields } from './form.ts'
import { findBookable, type LocatedBookableRow, missingBookable } from './queries.ts'

const SHOWN_CLAIMS_MAX = 6

export const bookablePages = defineResourcePages({
  path: '/places/bookables/{id}',
  section: 'Places',
  missing: missingBookable,
  find: (call) => findBookable(call, call.params.id),
  above: ({ locationId: id, location: name, ...found }, call) =>
    createLocationBreadcrumbs({ ...found, id, name }, findBackPath(call, `/places/locations/${id}`)),
  nameOf: ({ name }) => name,
  tabs: [
    ['', sentence`Overview`],
    ['/rules', sentence`Rules`],
    ['/history', sentence`History`],
  ],
})

export const bookableClosePage = defineClosePage(bookablePages, 'bookables')
export const bookableRulesPage = defineRulesPage(bookablePages, 'bookables')
export const bookableHistoryPage = defineHistoryPage(bookablePages, 'bookables', ({ zone }) => zone)

export const bookablePage = bookablePages.page({
  title: sentence`Desk or room`,
  readers: 'reader',
  actions: (action) => ({
    'create-calendar': action(placeCalendarForm, (call) => createCalendar(call, 'bookable_id')),
    edit: action(bookableForm.shape(affectedForm.affectedBookingsFormFields), async (call) => {
      const { in_the_way, overrides_rules, tags, ...edits } = call.form
      const asked = { id: call.params.id, version: call.version, ...affectedForm.readResolution(call) }
      await call.dispatch('bookables.edit', { ...asked, ...edits, tags: splitTags(tags) })
      return affectedForm.redirectAfterResolving(call, call.linkHere(), t`Changes saved.`)
    }),
    'set-position': action(positionForm, async (call) => {
      const position = parsePosition(call.form)
      const { version } = call
      await call.dispatch('bookables.set-position', { id: call.params.id, version, ...position })
      return { redirectTo: call.linkHere(), notice: t`Position saved.` }
    }),
    'end-assignment': action(object({}), async (call) => {
      await call.dispatch('bookables.unassign-all', { id: call.params.id })
      return { redirectTo: call.linkHere(), notice: t`Assignment ended. Anyone can book it again.` }
    }),
  }),
  async show(call, found) {
    const { id, name, type, status, locationId, hasFloorPlan, closed, lentUntil, zone } = found
    const { back } = call.query
    const removal = call.link(`/places/locations/${locationId}/delete-bookables`, { ids: id, back })
    return {
      lead: html`${formatBookableType(type)} ${showBookableStatus(status)}${showLentUntil(lentUntil)} ${closed && showClosedNow(closed, zone)}`,
      tools: html`${showLink(call.link('/map', { location: locationId, bookable: id }), t`Show on map`, { class: 'button quiet' })}
${status !== BOOKABLE_STATUSES.blocked && showLink(call.link('/bookings/new', { bookable: id }), t`Book`, { class: 'button primary' })}
${showMoreMenu([
  showLink(call.link('/bookings/test', { bookable: id }), t`Test a booking`),
  showLink(call.link('/places/screens/new', { bookable: id }), t`Screen at the door`),
  showLink(call.link(`/places/bookables/${id}/close`), t`Close for a time…`),
  showLink(removal, t`Delete ${name}`, { class: 'danger' }),
])}`,
      content: html`<div class="columns">${showCard(t`Details`, await showDetailsForm(call, found), 'edit')}
<div>${await showNextClaims(call, found)}
${showCard(t`Assignment`, showAssignment(call, found), 'assignment')}
${hasFloorPlan && showCard(t`Position on the floor plan`, showPosition(call, found), 'position')}
${await showRoomCalendarCard(call, id)}
${await showCalendarCard(call, 'bookable_id', id)}</div></div>
${await showRefusedBookings(call, { bookable: id })}`,
    }
  },
})

const CLAIM_COLUMNS = {
  ...createSpanColumns('claims'),
  to: nullableColumn(createSpanColumns('claims').to),
  id: numberColumn('claims.id'),
  eventId: nullableColumn(numberColumn('claims.event_id')),
  requestId: nullableColumn(numberColumn('claims.hold_id')),
  who: textColumn("coalesce(users.name, events.name, requesters.name, '')"),
  guest: nullableColumn(textColumn('coalesce(claims.guest_name, claims.guest_email)')),
}

const NEXT_CLAIMS_SQL = claimsSql('bookings.bookable_id = $1 AND bookings.during && tstzrange($2, NULL)')

const listNextClaims = ({ reads, now }: Call, bookableId: number) =>
  selectRows(
    reads,
    CLAIM_COLUMNS,
    `(${NEXT_CLAIMS_SQL}) AS claims
     LEFT JOIN users ON users.id = claims.user_id
     LEFT JOIN events ON events.id = claims.event_id
     LEFT JOIN holds ON holds.id = claims.hold_id
     LEFT JOIN users AS requesters ON requesters.id = holds.user_id
     ORDER BY lower(claims.during), claims.id LIMIT ${SHOWN_CLAIMS_MAX + 1}`,
    [bookableId, now],
  )

async function showNextClaims(call: Call, { id, name, location, buildingId, zone }: LocatedBookableRow) {
  const claims = await listNextClaims(call, id)
  const items = claims
    .slice(0, SHOWN_CLAIMS_MAX)
    .map(({ id, eventId, requestId, guest, from, to, ...claim }) => {
      const isRequest = requestId !== null
      const who = isRequest ? t`Requested by ${claim.who}` : claim.who
      const booking = isRequest ? `/bookings/requests/${requestId}` : `/bookings/${id}`
      const address = call.link(eventId === null ? booking : `/events/${eventId}`)
      const start = showInstant(from, zone)
      const when = to === null ? tHtml`${start} open-ended` : tHtml`${start} to ${formatEnd(from, to, zone)}`
      return html`<li>${showLinkOrText(address, who)}${guest !== null && html` <span class="soft">${t`for ${guest}`}</span>`}${from <= call.now && html` <span class="badge good">${t`now`}</span>`}<br><span class="soft">${when}</span></li>`
    })
  const today = call.link('/bookings', { place: `${name} ${location}`, building: buildingId })
  return showCard(
    t`Now and next`,
    html`${items.length === 0 ? html`<p>${t`No current or upcoming booking.`}</p>` : html`<ul class="rows">${items}</ul>`}
${claims.length > SHOWN_CLAIMS_MAX && html`<p class="soft">${t`Only the first ${SHOWN_CLAIMS_MAX} are shown.`}</p>`}
<p>${showLink(today, t`Search its bookings`)}</p>`,
    'now-and-next',
  )
}

async function showDetailsForm(call: Call, found: LocatedBookableRow): Promise<Html> {
  const locations = await listLocationOptions(call.reads)
  const [status] = call.refusedForm?.values['status'] ?? []
  const isBeingBlocked = status === String(BOOKABLE_STATUSES.blocked)
  const resolutionOptions = isBeingBlocked
    ? await affectedForm.showResolutionOptions(call, { ids: [found.id] }, { canLeave: true, after: 'edit' })
    : undefined
  const values = {
    ...found,
    tags: found.tags.join(', '),
    requires_vehicle: found.requiresVehicle,
    integration_email: found.integrationEmail,
    location_id: found.locationId,
  }
  const options = { action: 'edit', submit: t`Save changes`, version: found.version, values }
  return form(call, options, (fields) => [
    fields.text('name', t`Name`),
    showBookableFields(fields, found.status !== BOOKABLE_STATUSES.assigned),
    fields.text('integration_email', t`E-mail for calendars`, {
      type: 'email',
      hint: t`The mailbox that calendars use for this room. Each address can belong to one room only.`,
    }),
    fields.select('location_id', t`Floor`, { options: locations }),
    resolutionOptions?.(fields),
  ])
}

function showAssignment(
  call: Call<{ id: number }>,
  { status, assignees, lentUntil }: LocatedBookableRow,
): Html {
  const assign = bookablePages.address(call, '/assign')
  if (status !== BOOKABLE_STATUSES.assigned) {
    return html`<p>${status === BOOKABLE_STATUSES.blocked ? t`Blocked: nobody can book it.` : t`Anyone can book it.`}</p>
<div class="buttons">${showLink(assign, t`Assign to people`, { class: 'button quiet' })}</div>`
  }
  const people = assignees.map(
    (each) =>
      html`<li>${showLinkOrText(call.link(`/people/${each.id}`), each.name)} <span class="soft">${each.email}</span>${showInactiveBadge(each)}</li>`,
  )
  return html`<p>${
    lentUntil === null
      ? t`Only these people can book the place:`
      : t`These people have the place, which is lent until ${formatDate(lentUntil, 'weekday')}. Anyone can book it for these days.`
  }</p>
<ul class="rows">${people}</ul>
<div class="buttons">${showLink(assign, t`Change assignment`, { class: 'button quiet' })}</div>
${form(call, { action: 'end-assignment', submit: t`End assignment`, tone: 'quiet' })}`
}

function showPosition(call: Call, { x, y, locationId, positionVersion: version }: LocatedBookableRow): Html {
  const options = { action: 'set-position', submit: t`Save position`, tone: 'quiet', version } as const
  return html`<p>${x === null ? t`This desk or room has no position on the floor plan yet.` : t`In percent of the floor plan.`}
${showLink(call.link(`/places/locations/${locationId}/arrange`), t`Place the desk by dragging instead`)}</p>
${form(call, options, (fields) => showPositionFields(fields, { x, y }))}`
}
