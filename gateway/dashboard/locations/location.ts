// The page of a location: what can be booked there, with a search and a table to select from, and its floor
// plan.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../http/html.ts'
import { showHistory } from '../audit-log/audit-entry.ts'
import {
  BOOKABLE_ORDERS,
  type BookableRow,
  type BookableSearch,
  listBookables,
} from '../bookables/queries.ts'
import { searchQuery } from '../bookables/selection.ts'
import { calendarCard, createCalendar } from '../calendars/calendars.ts'
import { backQuery, hereAsBack } from '../kit/back.ts'
import type { Call } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import {
  deletionCard,
  detailsCard,
  findFloorPlanFacts,
  type LocationRow,
  listBuildingOptions,
  locationPages,
} from '../places/location-pages.ts'
import { rulesCard } from '../rules/rules-pages.ts'
import { showExceptionalStatus } from '../search/choices.ts'
import { formatBookableType, STATUS_FILTERS, TYPE_OPTIONS } from '../ui/bookables.ts'
import { filterBar } from '../ui/forms.ts'
import { listPager, listTable, type PagedTable, pageNumber, sliceOf } from '../ui/paging.ts'
import { type Column, formatNumber, showLink, showLinkOrText } from '../ui/parts.ts'
import { parseSort, sortChoice } from '../ui/sorting.ts'
import { showEmpty } from '../ui/states.ts'
import { floorPlanCard } from './floor-plans.ts'
import { locationFields, locationForm } from './locations.ts'

const BOOKABLES_PER_PAGE = 100

export const location = locationPages.page({
  title: sentence`Floor`,
  readers: 'reader',
  query: object({ ...searchQuery, ...backQuery, sort: sortChoice(BOOKABLE_ORDERS), page: pageNumber() }),
  actions: (action) => ({
    'create-calendar': action(object({}), (call) => createCalendar(call, 'location_id')),
    update: action(locationForm, async (call) => {
      const { id } = call.params
      await call.dispatch('locations.update', { ...call.form, id, version: call.version })
      return { redirectTo: call.linkHere(), notice: t`Changes saved.` }
    }),
    'set-floor-plan': action(
      object({}),
      async (call) => {
        if (!call.upload) throw new Refusal('malformed_body', message`This form must be sent with a file.`)
        await call.dispatch('locations.set-floor-plan', { id: call.params.id, file_id: call.upload.fileId })
        const redirectTo = call.link(`/places/locations/${call.params.id}/arrange`)
        return { redirectTo, notice: t`Floor plan uploaded.` }
      },
      { takesFile: true },
    ),
    'delete-floor-plan': action(object({}), async (call) => {
      await call.dispatch('locations.set-floor-plan', { id: call.params.id, file_id: null })
      return { redirectTo: call.linkHere(), notice: t`Floor plan deleted. All positions are kept.` }
    }),
  }),
  async show(call, found) {
    const { page, sort, back, ...search } = call.query
    const { id, name, code, timezone } = found
    const order = parseSort(sort, 'name')
    const slice = sliceOf(page, BOOKABLES_PER_PAGE)
    const [floorPlan, buildings, bookables] = await Promise.all([
      findFloorPlanFacts(call.reads, id),
      listBuildingOptions(call.reads),
      listBookables(call.reads, { locationId: id, ...search }, slice, order),
    ])
    const isEmpty = found.bookables === 0
    const empty = isEmpty ? noBookables() : nothingFound(call)
    const list = { found: bookables, page, order, rowsPerPage: BOOKABLES_PER_PAGE, empty }
    const own = `/places/locations/${id}`
    const removal = call.link(`${own}/delete`)
    const tool = (path: string, label: string, query = {}, tone = 'quiet') =>
      showLink(call.link(path, query), label, { class: `button ${tone}` })
    return {
      title: name,
      lead: code || undefined,
      tools: html`${tool('/map', t`Map`, { location: id })}
${tool('/day', t`Day`, { location: id })}
${tool(`${own}/copy`, t`Copy`)}
${tool(`${own}/import`, t`Import from a file`)}
${tool(`${own}/add`, t`Add desks, rooms or parking`, {}, 'primary')}`,
      content: html`${!isEmpty && bookablesSearch(call)}
${bookablesTable(call, found, search, list)}
${floorPlanCard(call, found, floorPlan)}
${detailsCard(call, { summary: t`Edit name, code and building`, values: found }, (fields) => locationFields(fields, { ...found, buildings }))}
${await rulesCard(call, 'locations', id, back)}
${await calendarCard(call, 'location_id', id)}
${deletionCard(
  t`Delete this floor`,
  removal,
  isEmpty
    ? showLink(removal, t`Delete floor`)
    : t`You can delete a floor once it has no desks, rooms or parking.`,
)}
${await showHistory(call, 'locations', id, timezone)}`,
    }
  },
})

function noBookables(): Html {
  return showEmpty(
    t`No desks, rooms or parking yet.`,
    t`Add desks, rooms or parking spots: “Desk 1-40” adds 40 desks at once.`,
  )
}

function nothingFound(call: Call): Html {
  return showEmpty(
    t`No matches.`,
    showLink(call.linkHere({ search: null, type: null, status: null, page: null }), t`Show all`),
  )
}

type Filters = Omit<BookableSearch, 'locationId'>

function bookablesSearch(call: Call): Html {
  return filterBar(call, (fields) => [
    fields.search('search', t`Name, tag or description`),
    fields.select('type', t`Type`, { any: t`All`, options: TYPE_OPTIONS }),
    fields.select('status', t`Status`, { any: t`All`, options: STATUS_FILTERS }),
  ])
}

/** The table is in a form that leads to the page to change the selected bookables. */
function bookablesTable(
  call: Call,
  location: LocationRow,
  filters: Filters,
  list: Omit<PagedTable<BookableRow>, 'caption' | 'columns'>,
): Html {
  const columns = call.mayWrite ? [selectColumn(), ...columnsOf(call, location)] : columnsOf(call, location)
  const shown = listTable(call, { ...list, caption: t`Desks, rooms and parking`, columns })
  const { rows, total } = list.found
  if (rows.length === 0) return shown
  if (!call.mayWrite) return html`${shown}${listPager(call, list)}`
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
      sort: 'name',
      show: ({ id, name, description }) =>
        html`${showLinkOrText(call.link(`/places/bookables/${id}`, { back: hereAsBack(call) }), name)}${description && html` <small>${description}</small>`}`,
    },
    { label: t`Type`, sort: 'type', show: ({ type }) => formatBookableType(type) },
    {
      label: t`Status`,
      sort: 'status',
      show: ({ status, assignees }) =>
        html`${showExceptionalStatus({ status, isDeleted: false })}${assignees.length > 0 && html` ${assignees.map(({ name }) => name).join(', ')}`}`,
    },
    { label: t`Tags`, show: ({ tags }) => tags.map((tag) => html`<span class="badge">${tag}</span> `) },
    { label: t`Capacity`, isNumber: true, sort: 'capacity', show: ({ capacity }) => capacity },
    ...(hasFloorPlan
      ? [
          {
            label: t`On floor plan`,
            isMinor: true,
            show: ({ x }: BookableRow) => (x === null ? t`no` : t`yes`),
          },
        ]
      : []),
  ]
}
