// The bookables of a location on its page: a search, and the table to select from.
import { type Html, html } from '../../http/html.ts'
import type { BookableRow } from '../bookables/queries.ts'
import { hereAsBack } from '../kit/back.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import type { LocationRow } from '../places/location-queries.ts'
import { formatBookableType, STATUS_FILTERS, showBookableStatus, TYPE_OPTIONS } from '../ui/bookables.ts'
import { searchForm } from '../ui/forms.ts'
import { showLinkOrText } from '../ui/links.ts'
import { listPager, listTable, type PagedTable } from '../ui/paging.ts'
import type { Column } from '../ui/tables.ts'
import { formatNumber } from '../ui/words.ts'

type Filters = { search?: string | undefined; type?: number | undefined; status?: number | undefined }

type BookablesList = Omit<PagedTable<BookableRow>, 'caption' | 'columns'>

export function bookablesSearch(call: Call, { search, type, status }: Filters): Html {
  const all = { value: '', label: t`All` }
  return html`<div class="search">${searchForm(call, t`Search`, (fields) => [
    fields.text({ name: 'search', label: t`Name, tag or description`, type: 'search', value: search }),
    fields.select({ name: 'type', label: t`Type`, options: [all, ...TYPE_OPTIONS], value: type }),
    fields.select({ name: 'status', label: t`Status`, options: [all, ...STATUS_FILTERS], value: status }),
  ])}</div>`
}

/** The table is in a form that leads to the page to change the selected bookables. */
export function bookablesTable(
  call: Call,
  location: LocationRow,
  filters: Filters,
  list: BookablesList,
): Html {
  const columns = call.mayWrite ? [selectColumn(), ...columnsOf(call, location)] : columnsOf(call, location)
  const shown = listTable(call, { ...list, caption: t`Desks, rooms and parking`, columns })
  if (list.found.rows.length === 0) return shown
  if (!call.mayWrite) return html`${shown}${listPager(call, list)}`
  const { total } = list.found
  const hidden = Object.entries({ ...filters, back: hereAsBack(call) }).filter(
    ([, value]) => value !== undefined,
  )
  return html`<form class="choose" method="get" action="${call.link(`/places/locations/${location.id}/selected`)}" data-choose>
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${shown}
<div class="buttons"><button class="button quiet">${t`Change selected`}</button>
${
  total > 1 &&
  html`<label class="choice"><input type="checkbox" name="all" value="true"> <span>${t`All ${formatNumber(total)} that match`}</span></label>`
}</div></form>
${listPager(call, list)}`
}

const selectColumn = (): Column<BookableRow> => ({
  label: t`Select`,
  isTools: true,
  show: ({ id, name }) =>
    html`<input type="checkbox" name="ids" value="${id}" aria-label="${t`Select ${name}`}">`,
})

function columnsOf(call: Call, { hasFloorPlan }: LocationRow): Column<BookableRow>[] {
  return [
    {
      label: t`Name`,
      isHead: true,
      sort: 'name',
      show: ({ id, name, description }) =>
        html`${showLinkOrText(call.link(`/places/bookables/${id}`, { back: hereAsBack(call) }), name)}${description && html` <small>${description}</small>`}`,
    },
    { label: t`Type`, sort: 'type', show: ({ type }) => formatBookableType(type) },
    {
      label: t`Status`,
      sort: 'status',
      show: ({ status, assignees }) =>
        html`${showBookableStatus(status)}${assignees.length > 0 && html` ${assignees.map(({ name }) => name).join(', ')}`}`,
    },
    { label: t`Tags`, show: ({ tags }) => tags.map((tag) => html`<span class="badge">${tag}</span> `) },
    { label: t`Capacity`, isNumber: true, sort: 'capacity', show: ({ capacity }) => capacity },
    ...(hasFloorPlan
      ? [{ label: t`On floor plan`, show: ({ x }: BookableRow) => (x === null ? t`no` : t`yes`) }]
      : []),
  ]
}
