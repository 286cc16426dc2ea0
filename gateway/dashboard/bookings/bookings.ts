// The Bookings page: who has booked what, where and when.
import { object, text } from '../../../shared/schemas/fields.ts'
import { type Content, html } from '../../http/html.ts'
import { hereAsBack } from '../kit/back.ts'
import { type Call, page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { orderOf, tooManyToSort } from '../search/bounded-list.ts'
import { listBuildingChoices } from '../search/choices.ts'
import { daySearch, describeDays, parseDays, showDayLinks, showDaySearch } from '../search/day-search.ts'
import { suggestOtherSearch } from '../search/nothing-found.ts'
import { showEnd, showInstant } from '../time/instants.ts'
import { showBookableLink, TYPE_OPTIONS, typeChoice } from '../ui/bookables.ts'
import { searchForm } from '../ui/forms.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { pagedTable, pageNumber, sliceOf } from '../ui/paging.ts'
import { parseSort, sortChoice } from '../ui/sorting.ts'
import type { Column } from '../ui/tables.ts'
import { BOOKING_ORDERS, type BookingRow, searchBookings } from './queries.ts'

const BOOKINGS_PER_PAGE = 50
// To see more, users narrow their search.
const PAGES_MAX = 200

export const bookings = page({
  path: '/bookings',
  title: sentence`Bookings`,
  section: 'Bookings',
  readers: 'reader',
  writers: 'front-desk',
  query: object({
    ...daySearch,
    person: text({ max: 255 }),
    type: typeChoice(),
    sort: sortChoice(BOOKING_ORDERS),
    page: pageNumber(PAGES_MAX),
  }),
  async show(call) {
    const { person, place, building, type, page } = call.query
    const asked = parseSort(call.query.sort, 'from')
    const buildings = await listBuildingChoices(call.reads)
    const days = parseDays(call.query, buildings, call.now, 1)
    const found = await searchBookings(
      call.reads,
      { person, place, building, type, from: days.from, to: days.to },
      sliceOf(page, BOOKINGS_PER_PAGE),
      asked,
    )
    const order = orderOf(asked, 'from', found.total)
    return {
      lead: `${describeDays(days)} ${t`Times are local to each building.`}`,
      tools: showLink(call.link('/bookings/new', { back: hereAsBack(call) }), t`New booking`, {
        class: 'button primary',
      }),
      content: html`<div class="card search">${searchForm(call, t`Search`, (fields) => [
        fields.text({
          name: 'person',
          label: t`Person`,
          type: 'search',
          value: person,
          placeholder: t`Name or e-mail`,
        }),
        fields.select({
          name: 'type',
          label: t`Type`,
          options: [{ value: '', label: t`Any` }, ...TYPE_OPTIONS],
          value: type,
        }),
        showDaySearch(fields, call.query, buildings, days),
      ])}${showDayLinks(call, days)}</div>
${order !== asked && tooManyToSort()}${pagedTable(call, {
  caption: t`Bookings`,
  columns: columns(call),
  found,
  rowsPerPage: BOOKINGS_PER_PAGE,
  page,
  pagesMax: PAGES_MAX,
  order,
  empty: nothingFound(call),
})}`,
    }
  },
})

function columns(call: Call): Column<BookingRow>[] {
  return [
    {
      label: t`Person`,
      isHead: true,
      sort: 'person',
      show: ({ userId, user, email }) =>
        html`${showLinkOrText(call.link(`/people/${userId}`), user)} <small>${email}</small>`,
    },
    { label: t`Desk or room`, sort: 'bookable', show: (row) => showBookableLink(call, row) },
    {
      label: t`Location`,
      sort: 'location',
      show: ({ location, building }) => html`${location} <small>${building}</small>`,
    },
    { label: t`From`, sort: 'from', isShort: true, show: (row) => showInstant(row.from, row.zone) },
    {
      label: t`Until`,
      sort: 'until',
      isShort: true,
      show: (row) => (row.to === null ? t`open-ended` : showEnd(row.from, row.to, row.zone)),
    },
    { label: t`Guest`, show: ({ guest }) => guest },
    { label: t`Plate`, show: ({ plate }) => plate },
    {
      label: t`Actions`,
      isTools: true,
      show: ({
        id,
        user,
        bookable,
      }) => html`${showLink(call.link(`/bookings/${id}`, { back: hereAsBack(call) }), t`Open`, { 'aria-label': t`Open the booking of ${bookable} for ${user}` })}
 ${showLink(call.link('/map', { booking: id }), t`Map`, { 'aria-label': t`${bookable} on the map` })}`,
    },
  ]
}

function nothingFound(call: Call): Content {
  const today = showLinkOrText(call.link('/bookings'), t`see all of today`)
  return html`<p><strong>${t`No bookings match.`}</strong></p>
<p>${suggestOtherSearch(today, call.link('/bookings/new'), t`create a booking`)}</p>`
}
