// Bookings: who has what, where and when.
import { object, text } from '../../../shared/contracts/fields.ts'
import { type Content, html } from '../../http/html.ts'
import { hereAsBack } from '../framework/back.ts'
import { type Call, page } from '../framework/page.ts'
import { listBuildingChoices } from '../search/choices.ts'
import { daySearch, describeDays, parseDays, showDaySearch } from '../search/day-search.ts'
import { showEnd, showInstant } from '../time/instants.ts'
import { showBookableLink } from '../ui/bookables.ts'
import { searchForm } from '../ui/forms.ts'
import { pagedTable, pageNumber, sliceOf } from '../ui/paging.ts'
import type { Column } from '../ui/tables.ts'
import { type BookingRow, searchBookings } from './queries.ts'

const BOOKINGS_PER_PAGE = 50
// What lies further on is found by a narrower search.
const PAGES_MAX = 200

export const bookings = page({
  path: '/bookings',
  title: 'Bookings',
  section: 'Bookings',
  readers: 'reader',
  writers: 'front-desk',
  query: object({
    ...daySearch,
    person: text({ max: 255 }),
    page: pageNumber(PAGES_MAX),
  }),
  async show(call) {
    const { person, place, building, page } = call.query
    const buildings = await listBuildingChoices(call.reads)
    const days = parseDays(call.query, buildings, call.now, 1)
    const rows = await searchBookings(
      call.reads,
      { person, place, building, from: days.from, to: days.to },
      sliceOf(page, BOOKINGS_PER_PAGE),
    )
    return {
      lead: `${describeDays(days)} Times are local to each building.`,
      tools: html`<a class="button primary" href="${call.link('/bookings/new', { back: hereAsBack(call) })}">New booking</a>`,
      content: html`<div class="card search">${searchForm(call, 'Search', (fields) => [
        fields.text({
          name: 'person',
          label: 'Person',
          type: 'search',
          value: person,
          placeholder: 'Name or e-mail',
        }),
        showDaySearch(fields, call.query, buildings, days),
      ])}</div>
<div class="listed">${pagedTable(call, {
        caption: 'Bookings',
        columns: columns(call),
        rows,
        rowsPerPage: BOOKINGS_PER_PAGE,
        page,
        pagesMax: PAGES_MAX,
        empty: nothingFound(call),
      })}</div>`,
    }
  },
})

function columns(call: Call): Column<BookingRow>[] {
  return [
    {
      label: 'Person',
      isHead: true,
      show: ({ userId, user, email }) =>
        html`<a href="${call.link(`/people/${userId}`)}">${user}</a><br><small>${email}</small>`,
    },
    { label: 'Bookable', show: (row) => showBookableLink(call, row) },
    { label: 'Location', show: ({ location, building }) => html`${location}<br><small>${building}</small>` },
    { label: 'From', show: (row) => showInstant(row.from, row.zone) },
    { label: 'Until', show: (row) => (row.to === null ? 'open-ended' : showEnd(row.from, row.to, row.zone)) },
    { label: 'Guest', show: ({ guest }) => guest },
    { label: 'Plate', show: ({ plate }) => plate },
    {
      label: 'Actions',
      isTools: true,
      show: ({
        id,
        user,
        bookable,
      }) => html`<a href="${call.link(`/bookings/${id}`, { back: hereAsBack(call) })}"
 aria-label="Open the booking of ${bookable} for ${user}">Open</a>
 <a href="${call.link('/map', { booking: id })}" aria-label="${bookable} on the map">Map</a>`,
    },
  ]
}

function nothingFound(call: Call): Content {
  return html`<p><strong>No bookings found.</strong></p>
<p>Try other days or fewer words, <a href="${call.link('/bookings')}">see all of today</a>,
or <a href="${call.link('/bookings/new')}">create a booking</a>.</p>`
}
