// Bookings: who has what, where and when.
import { integer, object, queryId, queryNumber, text } from '../../../shared/contracts/fields.ts'
import { invalid } from '../../../shared/refusal.ts'
import { type Content, html } from '../../html.ts'
import { searchForm } from '../forms.ts'
import { instant } from '../instants.ts'
import { type Call, page } from '../page.ts'
import { type BookingRow, searchBookings } from '../queries/bookings.ts'
import { type BuildingChoice, listBuildingChoices } from '../queries/choices.ts'
import { type Column, pager, table } from '../tables.ts'
import { dateAfter, dateIn, dayStart, localDate } from '../wall-clock.ts'

const BOOKINGS_A_PAGE = 50
// What lies further is found by narrowing the search down.
const PAGES_MAX = 200

const search = object({
  person: text({ max: 255 }),
  place: text({ max: 255 }),
  building: queryId(),
  from: localDate(),
  to: localDate(),
  page: queryNumber(integer({ min: 1, max: PAGES_MAX })).default(1),
})

export const bookings = page({
  path: '/bookings',
  title: 'Bookings',
  section: 'Bookings',
  query: search,
  async show(call) {
    const { person, place, building, page: number } = call.query
    const buildings = await listBuildingChoices(call.reads)
    const zone = zoneOf(buildings, building)
    const from = call.query.from ?? dateIn(call.now, zone)
    const to = call.query.to ?? from
    if (to < from) throw invalid({ to: ['The last day must not be before the first.'] })
    const found = await searchBookings(
      call.reads,
      { person, place, building, from: dayStart(from, zone), to: dayStart(dateAfter(to, 1), zone) },
      { offset: (number - 1) * BOOKINGS_A_PAGE, limit: BOOKINGS_A_PAGE + 1 },
    )
    const hasMore = found.length > BOOKINGS_A_PAGE && number < PAGES_MAX
    return {
      lead: wordDays(from, to, zone),
      tools: html`<a class="button primary" href="${call.link('/bookings/new')}">New booking</a>`,
      content: html`<div class="card search">${searchForm(call, 'Search', (fields) => [
        fields.text({
          name: 'person',
          label: 'Person',
          type: 'search',
          value: person,
          placeholder: 'Name or e-mail',
        }),
        fields.text({
          name: 'place',
          label: 'Place',
          type: 'search',
          value: place,
          placeholder: 'Floor, desk, room',
        }),
        fields.select({
          name: 'building',
          label: 'Building',
          value: building,
          options: [
            { value: '', label: 'Any' },
            ...buildings.map(({ id, name }) => ({ value: id, label: name })),
          ],
        }),
        fields.text({ name: 'from', label: 'First day', type: 'date', value: from }),
        fields.text({ name: 'to', label: 'Last day', type: 'date', value: to }),
      ])}</div>
${table('Bookings', bookingColumns(call), found.slice(0, BOOKINGS_A_PAGE), nothingFound(call))}
${pager(call, { page: number, hasMore })}`,
    }
  },
})

/** Where and when; beside them who, where it is not clear from the page. */
function bookingColumns(call: Call): Column<BookingRow>[] {
  return [
    {
      label: 'Who',
      isHead: true,
      show: ({ userId, user, email }) =>
        html`<a href="${call.link(`/people/${userId}`)}">${user}</a><br><small>${email}</small>`,
    },
    { label: 'What', show: (row) => bookableLink(call, row) },
    { label: 'Where', show: ({ location, building }) => html`${location}<br><small>${building}</small>` },
    { label: 'From', show: (row) => instant(row.from, row.zone) },
    { label: 'Until', show: (row) => (row.to === null ? 'open-ended' : instant(row.to, row.zone)) },
    { label: 'Guest', show: ({ guest }) => guest ?? '–' },
    { label: 'Plate', show: ({ plate }) => plate ?? '–' },
    {
      label: 'Actions',
      isTools: true,
      show: ({ id, user, bookable }) => html`<a href="${call.link(`/bookings/${id}`)}"
 aria-label="Open the booking of ${bookable} by ${user}">Open</a>
 <a href="${call.link('/map', { booking: id })}" aria-label="${bookable} on the map">Map</a>`,
    },
  ]
}

/** What is deleted has no page any more. */
export function bookableLink(
  call: Call,
  { bookableId, bookable, isDeleted }: Pick<BookingRow, 'bookableId' | 'bookable' | 'isDeleted'>,
): Content {
  if (isDeleted) return html`${bookable} <span class="badge">deleted</span>`
  return html`<a href="${call.link(`/places/bookables/${bookableId}`)}">${bookable}</a>`
}

function zoneOf(buildings: BuildingChoice[], id: number | undefined): string {
  return buildings.find((building) => building.id === id)?.zone ?? 'UTC'
}

function wordDays(from: string, to: string, zone: string): string {
  const word = (date: string) =>
    new Date(date).toLocaleDateString('en-GB', {
      timeZone: 'UTC',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
    })
  const days = from === to ? word(from) : `${word(from)} to ${word(to)}`
  return `${days}. Days are those of ${zone}; times are those of each building.`
}

function nothingFound(call: Call): Content {
  return html`<p><strong>Nothing is booked that fits this search.</strong></p>
<p>Search other days or fewer words, <a href="${call.link('/bookings')}">see all of today</a>,
or <a href="${call.link('/bookings/new')}">make a booking</a>.</p>`
}
