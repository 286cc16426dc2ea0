// The page of a bookable: its bookings, its details, its assignment, and its position on the floor plan.

import { claimsOf } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { number, orNull, selectRows, spanOf, text } from '../../../reads/rows/rows.ts'
import { sentence, t, tHtml } from '../../locales/translate.ts'
import { createCalendar } from '../../pages/calendars/create-calendar.ts'
import { backPath } from '../../pages/page/back.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatEnd, showInstant } from '../../pages/time/instants.ts'
import { formatBookableType, showBookableStatus, showClosedNow, splitTags } from '../../pages/ui/bookables.ts'
import { resource } from '../../pages/ui/declared-pages.ts'
import { form } from '../../pages/ui/forms.ts'
import { moreMenu } from '../../pages/ui/menu.ts'
import { card, showInactive, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import * as affectedForm from '../affected-bookings/affected-bookings-form.ts'
import { historyPage } from '../audit-log/audit-entry.ts'
import { showRefusedBookings } from '../bookings/refused-bookings.ts'
import { calendarCard, placeCalendarForm } from '../calendars/calendars.ts'
import { deletionCard, listLocationOptions, locationBreadcrumbs } from '../places/location-pages.ts'
import { rulesPage } from '../rules/rules-pages.ts'
import { bookableFields, bookableForm, parsePosition, positionForm, showPositionFields } from './form.ts'
import { findBookable, type LocatedBookableRow, missingBookable } from './queries.ts'

const CLAIMS_SHOWN = 6

export const bookablePages = resource({
  path: '/places/bookables/{id}',
  section: 'Places',
  missing: missingBookable,
  find: (call) => findBookable(call, call.params.id),
  above: ({ locationId: id, location: name, ...found }, call) =>
    locationBreadcrumbs({ ...found, id, name }, backPath(call, `/places/locations/${id}`)),
  nameOf: ({ name }) => name,
  tabs: [
    ['', sentence`Overview`],
    ['/rules', sentence`Rules`],
    ['/history', sentence`History`],
  ],
})

export const bookableRules = rulesPage(bookablePages, 'bookables')
export const bookableHistory = historyPage(bookablePages, 'bookables', ({ zone }) => zone)

export const bookable = bookablePages.page({
  title: sentence`Desk or room`,
  readers: 'reader',
  actions: (action) => ({
    'create-calendar': action(placeCalendarForm, (call) => createCalendar(call, 'bookable_id')),
    edit: action(bookableForm.shape(affectedForm.formFields), async (call) => {
      const { in_the_way, overrides_rules, tags, ...edits } = call.form
      const asked = { id: call.params.id, version: call.version, ...affectedForm.resolutionInput(call) }
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
    const { id, name, type, status, locationId, hasFloorPlan, closed, zone } = found
    const { back } = call.query
    const removal = call.link(`/places/locations/${locationId}/delete-bookables`, { ids: id, back })
    return {
      lead: html`${formatBookableType(type)} ${showBookableStatus(status)} ${closed && showClosedNow(closed, zone)}`,
      tools: html`${showLink(call.link('/map', { location: locationId, bookable: id }), t`Show on map`, { class: 'button quiet' })}
${status !== BOOKABLE_STATUSES.blocked && showLink(call.link('/bookings/new', { bookable: id }), t`Book`, { class: 'button primary' })}
${moreMenu([
  showLink(call.link('/bookings/test', { bookable: id }), t`Test a booking`),
  showLink(call.link('/places/screens/new', { bookable: id }), t`Screen at the door`),
])}`,
      content: html`<div class="columns">${card(t`Details`, await detailsForm(call, found), 'edit')}
<div>${await nextClaimsCard(call, found)}
${card(t`Assignment`, assignment(call, found), 'assignment')}
${hasFloorPlan && card(t`Position on the floor plan`, position(call, found), 'position')}
${await calendarCard(call, 'bookable_id', id)}
${deletionCard(t`Delete`, removal, html`${t`Past bookings are kept.`} ${showLink(removal, t`Delete ${name}`)}`)}</div></div>
${await showRefusedBookings(call, { bookable: id })}`,
    }
  },
})

const CLAIM = {
  ...spanOf('claims'),
  to: orNull(spanOf('claims').to),
  id: number('claims.id'),
  eventId: orNull(number('claims.event_id')),
  requestId: orNull(number('claims.hold_id')),
  who: text("coalesce(users.name, events.name, requesters.name, '')"),
  guest: orNull(text('coalesce(claims.guest_name, claims.guest_email)')),
}

const CLAIMS = claimsOf('bookings.bookable_id = $1 AND bookings.during && tstzrange($2, NULL)')

const listNextClaims = ({ reads, now }: Call, bookableId: number) =>
  selectRows(
    reads,
    CLAIM,
    `(${CLAIMS}) AS claims
     LEFT JOIN users ON users.id = claims.user_id
     LEFT JOIN events ON events.id = claims.event_id
     LEFT JOIN holds ON holds.id = claims.hold_id
     LEFT JOIN users AS requesters ON requesters.id = holds.user_id
     ORDER BY lower(claims.during), claims.id LIMIT ${CLAIMS_SHOWN + 1}`,
    [bookableId, now],
  )

async function nextClaimsCard(call: Call, { id, name, location, buildingId, zone }: LocatedBookableRow) {
  const claims = await listNextClaims(call, id)
  const items = claims.slice(0, CLAIMS_SHOWN).map(({ id, eventId, requestId, guest, from, to, ...claim }) => {
    const isRequest = requestId !== null
    const who = isRequest ? t`Requested by ${claim.who}` : claim.who
    const booking = isRequest ? `/bookings/requests/${requestId}` : `/bookings/${id}`
    const address = call.link(eventId === null ? booking : `/events/${eventId}`)
    const start = showInstant(from, zone)
    const when = to === null ? tHtml`${start} open-ended` : tHtml`${start} to ${formatEnd(from, to, zone)}`
    return html`<li>${showLinkOrText(address, who)}${guest !== null && html` <span class="soft">${t`for ${guest}`}</span>`}${from <= call.now && html` <span class="badge good">${t`now`}</span>`}<br><span class="soft">${when}</span></li>`
  })
  const today = call.link('/bookings', { place: `${name} ${location}`, building: buildingId })
  return card(
    t`Now and next`,
    html`${items.length === 0 ? html`<p>${t`Not booked now or later.`}</p>` : html`<ul class="rows">${items}</ul>`}
${claims.length > CLAIMS_SHOWN && html`<p class="soft">${t`Only the first ${CLAIMS_SHOWN} are shown.`}</p>`}
<p>${showLink(today, t`Search its bookings`)}</p>`,
    'now-and-next',
  )
}

async function detailsForm(call: Call, found: LocatedBookableRow): Promise<Html> {
  const locations = await listLocationOptions(call.reads)
  const [status] = call.refusedForm?.values['status'] ?? []
  const isBeingBlocked = status === String(BOOKABLE_STATUSES.blocked)
  const resolutionOptions = isBeingBlocked
    ? await affectedForm.showOptions(call, { ids: [found.id] }, { canLeave: true, after: 'edit' })
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
    bookableFields(fields, found.status !== BOOKABLE_STATUSES.assigned),
    fields.text('integration_email', t`E-mail for calendars`, {
      type: 'email',
      hint: t`The mailbox that calendars use for this room. Each address can belong to one room only.`,
    }),
    fields.select('location_id', t`Floor`, { options: locations }),
    resolutionOptions?.(fields),
  ])
}

function assignment(call: Call<{ id: number }>, { status, assignees }: LocatedBookableRow): Html {
  const assign = bookablePages.address(call, '/assign')
  if (status !== BOOKABLE_STATUSES.assigned) {
    return html`<p>${status === BOOKABLE_STATUSES.blocked ? t`Blocked: nobody can book it.` : t`Anyone can book it.`}</p>
<div class="buttons">${showLink(assign, t`Assign to people`, { class: 'button quiet' })}</div>`
  }
  const people = assignees.map(
    (each) =>
      html`<li>${showLinkOrText(call.link(`/people/${each.id}`), each.name)} <span class="soft">${each.email}</span>${showInactive(each)}</li>`,
  )
  return html`<p>${t`Only these people can book it:`}</p>
<ul class="rows">${people}</ul>
<div class="buttons">${showLink(assign, t`Change assignment`, { class: 'button quiet' })}</div>
${form(call, { action: 'end-assignment', submit: t`End assignment`, tone: 'quiet' })}`
}

function position(call: Call, { x, y, locationId, positionVersion: version }: LocatedBookableRow): Html {
  const options = { action: 'set-position', submit: t`Save position`, tone: 'quiet', version } as const
  return html`<p>${x === null ? t`It has no position yet.` : t`In percent of the floor plan.`}
${showLink(call.link(`/places/locations/${locationId}/arrange`), t`Drag it into place instead`)}</p>
${form(call, options, (fields) => showPositionFields(fields, { x, y }))}`
}
