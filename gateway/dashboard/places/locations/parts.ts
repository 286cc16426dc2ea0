// The parts of a location's page: what can be booked there, its floor plan, its name, and its end.
import { drawFloorPlan } from '../../../api/livemap/floor-plan-image.ts'
import { type Html, html } from '../../../http/html.ts'
import type { Call } from '../../framework/page.ts'
import { formatBookableType, showBookableStatus, TYPE_OPTIONS } from '../../ui/bookables.ts'
import { form, searchForm } from '../../ui/forms.ts'
import { type Column, table } from '../../ui/tables.ts'
import type { BookableRow } from '../bookables/queries.ts'
import { locationFields } from '../forms.ts'
import { floorPlanPicture } from './floor-plans.ts'
import type { FloorPlanFacts, LocationRow } from './queries.ts'

type Filters = { search?: string | undefined; type?: number | undefined; status?: number | undefined }

const EVERY = { value: '', label: 'All' }
const STATUSES = [EVERY, ...['Flexible', 'Blocked', 'Assigned'].map((label, value) => ({ value, label }))]

export function filters(call: Call, { search, type, status }: Filters): Html {
  return html`<div class="search">${searchForm(call, 'Search', (fields) => [
    fields.text({ name: 'search', label: 'Name, tag or description', type: 'search', value: search }),
    fields.select({ name: 'type', label: 'Type', options: [EVERY, ...TYPE_OPTIONS], value: type }),
    fields.select({ name: 'status', label: 'Status', options: STATUSES, value: status }),
  ])}</div>`
}

/** In a form that leads to the page which asks before the chosen ones are deleted. */
export function bookablesTable(call: Call, location: LocationRow, rows: BookableRow[], empty: Html): Html {
  if (rows.length === 0) return table('Bookables', [], rows, empty)
  return html`<form class="choose" method="get" action="${call.link(`/places/locations/${location.id}/delete-bookables`)}">
${table('Bookables', columnsOf(call, location), rows, empty)}
<div class="buttons"><button class="button quiet">Delete selected</button></div></form>`
}

function columnsOf(call: Call, { hasPlan }: LocationRow): Column<BookableRow>[] {
  return [
    {
      label: 'Select',
      isTools: true,
      show: ({ id, name }) =>
        html`<input type="checkbox" name="ids" value="${id}" aria-label="Select ${name}">`,
    },
    {
      label: 'Name',
      isHead: true,
      show: ({ id, name, description }) =>
        html`<a href="${call.link(`/places/bookables/${id}`)}">${name}</a>${description && html`<br><small>${description}</small>`}`,
    },
    { label: 'Type', show: ({ type }) => formatBookableType(type) },
    {
      label: 'Status',
      show: ({ status, assignees }) =>
        html`${showBookableStatus(status)}${assignees.length > 0 && html` ${assignees.map(({ name }) => name).join(', ')}`}`,
    },
    { label: 'Tags', show: ({ tags }) => tags.map((tag) => html`<span class="badge">${tag}</span> `) },
    { label: 'Capacity', isNumber: true, show: ({ capacity }) => capacity },
    ...(hasPlan
      ? [{ label: 'On floor plan', show: ({ x }: BookableRow) => (x === null ? 'no' : 'yes') }]
      : []),
  ]
}

export function planCard(call: Call, location: LocationRow, plan: FloorPlanFacts | undefined): Html {
  const { id, name, bookables, placed } = location
  const upload = form(
    call,
    {
      action: 'plan',
      submit: plan ? 'Replace floor plan' : 'Upload floor plan',
      hasFile: true,
      tone: 'quiet',
    },
    (fields) =>
      fields.file({
        name: 'file',
        label: plan ? 'New picture' : 'Picture',
        hint: plan ? 'PNG or JPEG, up to 10 MiB. Positions are kept.' : 'PNG or JPEG, up to 10 MiB.',
        accept: 'image/png,image/jpeg',
        required: true,
      }),
  )
  if (!plan) {
    return html`<section class="card" aria-labelledby="plan"><h2 id="plan">Floor plan</h2>
<p>No floor plan yet. Upload one to show bookables where they are. Until then, the map is a grid.</p>${upload}</section>`
  }
  return html`<section class="card" aria-labelledby="plan"><h2 id="plan">Floor plan</h2>
<div class="plan-card"><a href="${call.link(`/places/locations/${id}/arrange`)}"><svg viewBox="0 0 ${plan.width} ${plan.height}" role="img" aria-label="Arrange the floor plan of ${name}">${drawFloorPlan(floorPlanPicture(call, id, plan), plan)}</svg></a>
<div><p>On the floor plan: ${placed} of ${bookables} bookables.
<a href="${call.link(`/places/locations/${id}/arrange`)}">Arrange floor plan</a></p>
${upload}
${form(call, { action: 'remove-plan', submit: 'Delete floor plan', tone: 'quiet', isInline: true })}</div></div></section>`
}

export function editCard(
  call: Call,
  location: LocationRow,
  buildings: Array<{ id: number; name: string }>,
): Html {
  const options = buildings.map(({ id, name }) => ({ value: id, label: name }))
  return html`<section class="card" aria-labelledby="edit"><h2 id="edit">Details</h2>
<details${call.refusedForm?.action === 'update' ? html` open` : ''}><summary>Edit name, code and building</summary>
<div class="narrow">${form(
    call,
    { action: 'update', submit: 'Save changes', version: location.version },
    (fields) => locationFields(fields, location, { options, chosen: location.buildingId }),
  )}</div></details>
<p>A location can be deleted once it has no bookables.
<a href="${call.link(`/places/locations/${location.id}/delete`)}">Delete location</a></p></section>`
}
