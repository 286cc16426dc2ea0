// The page of a location: what can be booked there, with a search and a table to select from.
import { object } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { backQuery, findReturnAddress } from '../../pages/page/back.ts'
import type { Call } from '../../pages/page/page.ts'
import { showExceptionalStatus } from '../../pages/search/choices.ts'
import { formatBookableType, STATUS_FILTERS, showClosedNow, TYPE_OPTIONS } from '../../pages/ui/bookables.ts'
import { showFilterBar } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import {
  createPageSlice,
  type PagedTable,
  pageNumber,
  showListPager,
  showListTable,
} from '../../pages/ui/paging.ts'
import {
  type Column,
  formatNumber,
  showLink,
  showLinkOrText,
  showSelectionBox,
} from '../../pages/ui/parts.ts'
import { parseSort, sortChoice } from '../../pages/ui/sorting.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import {
  BOOKABLE_ORDERS,
  type BookableRow,
  type BookableSearch,
  listBookables,
} from '../bookables/queries.ts'
import { searchQuery } from '../bookables/selection.ts'
import { type LocationRow, locationPages } from '../places/location-pages.ts'

const BOOKABLES_PER_PAGE = 100

export const locationPage = locationPages.page({
  title: sentence`Floor`,
  readers: 'reader',
  query: object({ ...searchQuery, ...backQuery, sort: sortChoice(BOOKABLE_ORDERS), page: pageNumber() }),
  async show(call, found) {
    const { page, sort, back, ...search } = call.query
    const { id, code } = found
    const order = parseSort(sort, 'name')
    const slice = createPageSlice(page, BOOKABLES_PER_PAGE)
    const bookables = await listBookables(call, { locationId: id, ...search }, slice, order)
    const own = `/places/locations/${id}`
    const add = call.link(`${own}/add`)
    const isEmpty = found.bookables === 0
    const empty = isEmpty ? showNoBookables(add) : showNothingFound(call)
    const list = { found: bookables, page, order, rowsPerPage: BOOKABLES_PER_PAGE, empty }
    return {
      lead: code || undefined,
      tools: html`${showLink(call.link('/map', { location: id }), t`Map`, { class: 'button quiet' })}
${!isEmpty && showLink(add, t`Add desks, rooms or parking`, { class: 'button primary' })}
${showMoreMenu([
  showLink(call.link('/day', { location: id }), t`Day`),
  showLink(call.link(`${own}/copy`), t`Copy`),
  showLink(call.link(`${own}/import`), t`Import from a file`),
  !isEmpty && showLink(call.link(`${own}/codes`), t`QR codes`),
  !isEmpty && showLink(call.link(`${own}/close`), t`Close for a time…`),
])}`,
      content: html`${!isEmpty && showBookablesSearch(call)}
${showBookablesTable(call, found, search, list)}`,
    }
  },
})

function showNoBookables(add: string): Html {
  return showEmptyState(
    t`No desks, rooms or parking yet.`,
    html`<p>${t`“Desk 1-40” adds 40 desks at once.`}</p>${showLink(add, t`Add desks, rooms or parking`, { class: 'button primary' })}`,
  )
}

function showNothingFound(call: Call): Html {
  return showEmptyState(
    t`No matches.`,
    showLink(call.linkHere({ search: null, type: null, status: null, page: null }), t`Show all`),
  )
}

type BookableFilters = Omit<BookableSearch, 'locationId'>

function showBookablesSearch(call: Call): Html {
  return showFilterBar(call, (fields) => [
    fields.search('search', t`Name, tag or description`),
    fields.select('type', t`Type`, { any: t`All`, options: TYPE_OPTIONS }),
    fields.select('status', t`Status`, { any: t`All`, options: STATUS_FILTERS }),
  ])
}

/** Shows the table in a form that opens the page for changing the selected bookables. */
function showBookablesTable(
  call: Call,
  location: LocationRow,
  filters: BookableFilters,
  list: Omit<PagedTable<BookableRow>, 'caption' | 'columns'>,
): Html {
  const columns = call.mayWrite
    ? [createSelectColumn(), ...createColumns(call, location)]
    : createColumns(call, location)
  const shown = showListTable(call, { ...list, caption: t`Desks, rooms and parking`, columns })
  const { rows, total } = list.found
  if (rows.length === 0) return shown
  if (!call.mayWrite) return html`${shown}${showListPager(call, list)}`
  const hidden = Object.entries({ ...filters, back: findReturnAddress(call) }).filter(
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
${showListPager(call, list)}`
}

const createSelectColumn = (): Column<BookableRow> => ({
  label: t`Select`,
  isTools: true,
  show: ({ id }) => showSelectionBox(id),
})

function createColumns(call: Call, { hasFloorPlan }: LocationRow): Column<BookableRow>[] {
  return [
    {
      label: t`Name`,
      sort: 'name',
      show: ({ id, name, description }) =>
        html`${showLinkOrText(call.link(`/places/bookables/${id}`, { back: findReturnAddress(call) }), name)}${description && html` <small>${description}</small>`}`,
    },
    { label: t`Type`, sort: 'type', show: ({ type }) => formatBookableType(type) },
    {
      label: t`Status`,
      sort: 'status',
      show: ({ status, assignees, closed, lentUntil, zone }) =>
        html`${showExceptionalStatus({ status, lentUntil, isDeleted: false })}${closed && html` ${showClosedNow(closed, zone)}`}${assignees.length > 0 && html` ${assignees.map(({ name }) => name).join(', ')}`}`,
    },
    { label: t`Tags`, show: ({ tags }) => tags.map((tag) => html`<span class="badge">${tag}</span> `) },
    { label: t`Capacity`, isNumber: true, sort: 'capacity', show: ({ capacity }) => capacity },
    ...(hasFloorPlan
      ? [
          {
            label: t`On floor plan`,
            isMinor: true,
            // Says only what is unusual. The column is hidden if everything is on the floor plan.
            show: ({ x }: BookableRow) => x === null && t`no`,
          },
        ]
      : []),
  ]
}
