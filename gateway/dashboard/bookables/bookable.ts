// The page of a bookable: its bookings, its details, its assignment, and its position on the floor plan.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import {
  conflictFormFields,
  conflictInput,
  fromNowOn,
  isInTheWay,
  redirectAfterClearing,
  showConflictOptions,
} from '../affected-bookings/conflict-form.ts'
import { showHistory } from '../audit-log/history.ts'
import { calendarCard, createCalendar } from '../calendars/card.ts'
import { backPath, backQuery, keepBack, type Returning } from '../kit/back.ts'
import { type Call, page } from '../kit/page.ts'
import { mayOpen } from '../kit/roles.ts'
import { sentence, t } from '../locales/translate.ts'
import { type LocationName, listLocationNames } from '../places/location-queries.ts'
import { rulesCard } from '../rules/card.ts'
import { formatBookableType, showBookableStatus } from '../ui/bookables.ts'
import type { Fields } from '../ui/fields.ts'
import { form } from '../ui/forms.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { showInactive } from '../ui/people.ts'
import { bookableFields, bookableForm, parseBookableDetails } from './form.ts'
import { nextClaimsCard } from './next-claims.ts'
import { parsePosition, positionForm, showPositionFields } from './position-fields.ts'
import { type LocatedBookableRow, missingBookable, requireBookable } from './queries.ts'

export const bookable = page({
  path: '/places/bookables/{id}',
  title: sentence`Desk or room`,
  section: 'Places',
  readers: 'reader',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingBookable,
  actions: (action) => ({
    'create-calendar': action(object({}), (call) => createCalendar(call, 'bookable_id')),
    edit: action(bookableForm.shape(conflictFormFields), async (call) => {
      const { name, type, status, integration_email = null, location_id } = call.form
      const edits = { name, type, status, integration_email, location_id, ...parseBookableDetails(call.form) }
      const { id } = call.params
      const asked = { version: call.version, ...conflictInput(call) }
      await call.dispatch('bookables.edit', { id, ...asked, ...edits })
      return redirectAfterClearing(call, call.linkHere(), t`Changes saved.`)
    }),
    'set-position': action(positionForm, async (call) => {
      const { id } = call.params
      await call.dispatch('bookables.set-position', {
        id,
        version: call.version,
        ...parsePosition(call.form),
      })
      return { redirectTo: call.linkHere(), notice: t`Position saved.` }
    }),
    'end-assignment': action(object({}), async (call) => {
      await call.dispatch('bookables.unassign-all', { id: call.params.id })
      return { redirectTo: call.linkHere(), notice: t`Assignment ended. Anyone can book it again.` }
    }),
  }),
  async show(call) {
    const [found, locations] = await Promise.all([
      requireBookable(call.reads, call.params.id),
      listLocationNames(call.reads),
    ])
    const { id, name, locationId, hasFloorPlan } = found
    const conflictOptions = isBeingBlocked(call)
      ? await showConflictOptions(call, { ids: [id], times: fromNowOn(call) }, { canLeave: true })
      : undefined
    const removal = call.link(`/places/locations/${locationId}/delete-bookables`, {
      ids: id,
      back: call.query.back,
    })
    return {
      title: name,
      lead: html`${formatBookableType(found.type)} ${showBookableStatus(found.status)}`,
      breadcrumbs: [
        [t`Places`, '/places'],
        [found.building, `/places/buildings/${found.buildingId}`],
        [found.location, backPath(call, `/places/locations/${locationId}`)],
      ],
      tools: html`${found.status !== BOOKABLE_STATUSES.blocked && showLink(call.link('/bookings/new', { bookable: id }), t`Book`, { class: 'button quiet' })}
${showLink(call.link('/map', { location: locationId, bookable: id }), t`Show on map`, { class: 'button quiet' })}`,
      content: html`<div class="columns"><section class="card" aria-labelledby="edit"><h2 id="edit">${t`Details`}</h2>
${detailsForm(call, found, locations, conflictOptions)}</section>
<div>${await nextClaimsCard(call, found)}
<section class="card" aria-labelledby="assignment"><h2 id="assignment">${t`Assignment`}</h2>${assignment(call, found)}</section>
${
  hasFloorPlan &&
  html`<section class="card" aria-labelledby="position"><h2 id="position">${t`Position on the floor plan`}</h2>
${position(call, found)}</section>`
}
${await rulesCard(call, 'bookables', id, call.query.back)}
${await calendarCard(call, 'bookable_id', id)}
${
  mayOpen(removal) &&
  html`<section class="card" aria-labelledby="delete"><h2 id="delete">${t`Delete`}</h2>
<p>${t`Past bookings are kept.`} ${showLink(removal, t`Delete ${name}`)}</p></section>`
}</div></div>
${await showHistory(call, 'bookables', id)}`,
    }
  },
})

function isBeingBlocked(call: Call): boolean {
  const [status] = call.refusedForm?.values['status'] ?? []
  return isInTheWay(call, 'edit') && status === String(BOOKABLE_STATUSES.blocked)
}

function detailsForm(
  call: Call,
  found: LocatedBookableRow,
  locations: LocationName[],
  conflictOptions: ((fields: Fields) => Content) | undefined,
): Html {
  const hasStatus = found.status !== BOOKABLE_STATUSES.assigned
  return form(call, { action: 'edit', submit: t`Save changes`, version: found.version }, (fields) => [
    fields.text({ name: 'name', label: t`Name`, value: found.name, required: true, maxlength: 255 }),
    bookableFields(fields, { ...found, tags: found.tags.join(', ') }, hasStatus),
    fields.text({
      name: 'integration_email',
      label: t`Integration e-mail`,
      type: 'email',
      hint: t`The mailbox that calendars use for this room. Each address can belong to one room only.`,
      value: found.integrationEmail,
      maxlength: 255,
    }),
    fields.select({
      name: 'location_id',
      label: t`Location`,
      options: locations.map(({ id, name, building }) => ({ value: id, label: `${building}: ${name}` })),
      value: found.locationId,
      required: true,
    }),
    conflictOptions?.(fields),
  ])
}

function assignment(call: Returning, { id, status, assignees }: LocatedBookableRow): Html {
  const assign = call.link(keepBack(call, `/places/bookables/${id}/assign`))
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

function position(call: Call, found: LocatedBookableRow): Html {
  return html`<p>${found.x === null ? t`It has no position yet.` : t`In percent of the floor plan.`}
${showLink(call.link(`/places/locations/${found.locationId}/arrange`), t`Drag it into place instead`)}</p>
${form(call, { action: 'set-position', submit: t`Save position`, tone: 'quiet', version: found.positionVersion }, (fields) => showPositionFields(fields, found))}`
}
