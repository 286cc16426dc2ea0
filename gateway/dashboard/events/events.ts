// The Events page: what takes place where and when, including cancelled events.
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { message } from '../../../shared/messages/message.ts'
import { choice, object, text } from '../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { hereAsBack } from '../kit/back.ts'
import { type Call, page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { orderOf, tooManyToSort } from '../search/bounded-list.ts'
import { listBuildingChoices } from '../search/choices.ts'
import { daySearch, describeDays, parseDays, showDayLinks, showDaySearch } from '../search/day-search.ts'
import { suggestOtherSearch } from '../search/nothing-found.ts'
import { showEnd, showInstant } from '../time/instants.ts'
import { searchForm } from '../ui/forms.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { pagedTable, pageNumber, sliceOf } from '../ui/paging.ts'
import { parseSort, sortChoice } from '../ui/sorting.ts'
import type { Column } from '../ui/tables.ts'
import { EVENT_ORDERS, type EventRow, searchEvents } from './queries.ts'
import { STATUS_CHOICES, showEventStatus, statusOptions } from './words.ts'

const EVENTS_PER_PAGE = 50
const PAGES_MAX = 200
const DAYS = 7

export const events = page({
  path: '/events',
  title: sentence`Events`,
  section: 'Events',
  readers: 'reader',
  writers: 'front-desk',
  query: object({
    ...daySearch,
    name: text({ max: 255 }),
    state: choice(STATUS_CHOICES, (name) => message`${name} must be one of the choices.`),
    sort: sortChoice(EVENT_ORDERS),
    page: pageNumber(PAGES_MAX),
  }),
  async show(call) {
    const { name, place, building, state = 'all', page } = call.query
    const buildings = await listBuildingChoices(call.reads)
    const days = parseDays(call.query, buildings, call.now, DAYS)
    const asked = parseSort(call.query.sort, 'from')
    const status = state === 'all' ? undefined : EVENT_STATUSES[state]
    const found = await searchEvents(
      call.reads,
      { search: name, place, building, status, from: days.from, to: days.to },
      sliceOf(page, EVENTS_PER_PAGE),
      asked,
    )
    const order = orderOf(asked, 'from', found.total)
    return {
      lead: `${describeDays(days)} ${t`Times are in the time zone of each event.`}`,
      tools: showLink(call.link('/events/new', { back: hereAsBack(call) }), t`New event`, {
        class: 'button primary',
      }),
      content: html`<div class="card search">${searchForm(call, t`Search`, (fields) => [
        fields.text({
          name: 'name',
          label: t`Name`,
          type: 'search',
          value: name,
          placeholder: t`Event or organizer`,
        }),
        showDaySearch(fields, call.query, buildings, days),
        fields.select({ name: 'state', label: t`Status`, options: statusOptions(), value: state }),
      ])}${showDayLinks(call, days)}</div>
${order !== asked && tooManyToSort()}${pagedTable(call, {
  caption: t`Events`,
  columns: columns(call),
  found,
  rowsPerPage: EVENTS_PER_PAGE,
  page,
  pagesMax: PAGES_MAX,
  order,
  empty: nothingFound(call),
})}`,
    }
  },
})

function columns(call: Call): Column<EventRow>[] {
  return [
    {
      label: t`Name`,
      isHead: true,
      sort: 'name',
      show: (row) =>
        html`${showLinkOrText(call.link(`/events/${row.id}`, { back: hereAsBack(call) }), row.name)} ${showEventStatus(row, call.now)}`,
    },
    {
      label: t`From`,
      sort: 'from',
      isShort: true,
      show: ({ from, fromZone }) => showInstant(from, fromZone),
    },
    { label: t`Until`, sort: 'until', isShort: true, show: showUntil },
    { label: t`Rooms`, show: ({ rooms }) => rooms.join(', ') },
    {
      label: t`Organizer`,
      sort: 'organizer',
      show: ({ organizerId, organizer }) => showLinkOrText(call.link(`/people/${organizerId}`), organizer),
    },
    { label: t`People`, isNumber: true, show: ({ people }) => people },
  ]
}

function showUntil({ from, to, fromZone, toZone }: EventRow): Html {
  return fromZone === toZone ? showEnd(from, to, toZone) : showInstant(to, toZone)
}

function nothingFound(
  call: Call<unknown, { place?: string | undefined; building?: number | undefined }>,
): Content {
  const { place, building } = call.query
  const week = showLinkOrText(call.link('/events'), t`see the coming week`)
  return html`<p><strong>${t`No events match.`}</strong></p>
<p>${suggestOtherSearch(week, call.link('/events/new'), t`create an event`)}</p>
${
  (place !== undefined || building !== undefined) &&
  html`<p>${t`Cancelled events no longer have rooms. Search for them by name and day.`}</p>`
}`
}
