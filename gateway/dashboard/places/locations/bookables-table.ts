// The bookables of a location on its page: a search, and the table to select from.
import { type Html, html } from '../../../http/html.ts'
import type { Call } from '../../framework/page.ts'
import { formatBookableType, STATUS_FILTERS, showBookableStatus, TYPE_OPTIONS } from '../../ui/bookables.ts'
import { searchForm } from '../../ui/forms.ts'
import { type Column, table } from '../../ui/tables.ts'
import type { BookableRow } from '../bookables/queries.ts'
import type { LocationRow } from './queries.ts'

type Filters = { search?: string | undefined; type?: number | undefined; status?: number | undefined }

const ALL = { value: '', label: 'All' }

export function bookablesSearch(call: Call, { search, type, status }: Filters): Html {
  return html`<div class="search">${searchForm(call, 'Search', (fields) => [
    fields.text({ name: 'search', label: 'Name, tag or description', type: 'search', value: search }),
    fields.select({ name: 'type', label: 'Type', options: [ALL, ...TYPE_OPTIONS], value: type }),
    fields.select({ name: 'status', label: 'Status', options: [ALL, ...STATUS_FILTERS], value: status }),
  ])}</div>`
}

/** In a form that leads to the page which asks before the selected ones are deleted. */
export function bookablesTable(call: Call, location: LocationRow, rows: BookableRow[], empty: Html): Html {
  if (rows.length === 0) return table('Bookables', [], rows, empty)
  return html`<form class="choose" method="get" action="${call.link(`/places/locations/${location.id}/delete-bookables`)}">
${table('Bookables', columnsOf(call, location), rows, empty)}
<div class="buttons"><button class="button quiet">Delete selected</button></div></form>`
}

function columnsOf(call: Call, { hasFloorPlan }: LocationRow): Column<BookableRow>[] {
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
    ...(hasFloorPlan
      ? [{ label: 'On floor plan', show: ({ x }: BookableRow) => (x === null ? 'no' : 'yes') }]
      : []),
  ]
}
