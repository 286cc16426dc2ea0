// Events: what takes place where and when, the cancelled ones too.
import { EVENT_STATUSES } from '../../../shared/contracts/events.ts'
import { choice, integer, object, queryNumber, text } from '../../../shared/contracts/fields.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { type Call, page } from '../framework/page.ts'
import { listBuildingChoices } from '../search/choices.ts'
import { daySearch, describeDays, parseDays, showDaySearch } from '../search/day-search.ts'
import { showEnd, showInstant } from '../time/instants.ts'
import { searchForm } from '../ui/forms.ts'
import { type Column, pager, table } from '../ui/tables.ts'
import { type EventRow, searchEvents } from './queries.ts'
import { showEventStatus } from './words.ts'

const EVENTS_A_PAGE = 50
const PAGES_MAX = 200
const DAYS = 7

const states = [
  { value: 'all', label: 'All' },
  { value: 'confirmed', label: 'Confirmed' },
  { value: 'cancelled', label: 'Cancelled' },
]

export const events = page({
  path: '/events',
  title: 'Events',
  section: 'Events',
  query: object({
    ...daySearch,
    name: text({ max: 255 }),
    state: choice(
      ['all', 'confirmed', 'cancelled'] as const,
      (name) => `${name} must be one of the choices.`,
    ),
    page: queryNumber(integer({ min: 1, max: PAGES_MAX })).default(1),
  }),
  async show(call) {
    const { name, place, building, state = 'all', page: number } = call.query
    const buildings = await listBuildingChoices(call.reads)
    const days = parseDays(call.query, buildings, call.now, DAYS)
    const status = state === 'all' ? undefined : EVENT_STATUSES[state]
    const found = await searchEvents(
      call.reads,
      { words: name, place, building, status, from: days.from, to: days.to },
      { offset: (number - 1) * EVENTS_A_PAGE, limit: EVENTS_A_PAGE + 1 },
    )
    const hasMore = found.length > EVENTS_A_PAGE && number < PAGES_MAX
    return {
      lead: `${describeDays(days)} Times are in the time zone of each event.`,
      tools: html`<a class="button primary" href="${call.link('/events/new')}">New event</a>`,
      content: html`<div class="card search">${searchForm(call, 'Search', (fields) => [
        fields.text({
          name: 'name',
          label: 'Name',
          type: 'search',
          value: name,
          placeholder: 'Event or organizer',
        }),
        showDaySearch(fields, call.query, buildings, days),
        fields.select({ name: 'state', label: 'Status', options: states, value: state }),
      ])}</div>
<div class="listed">${table('Events', columns(call), found.slice(0, EVENTS_A_PAGE), nothingFound(call))}</div>
${pager(call, { page: number, hasMore })}`,
    }
  },
})

function columns(call: Call): Column<EventRow>[] {
  return [
    {
      label: 'Name',
      isHead: true,
      show: (row) =>
        html`<a href="${call.link(`/events/${row.id}`)}">${row.name}</a> ${showEventStatus(row, call.now)}`,
    },
    { label: 'From', show: ({ from, fromZone }) => showInstant(from, fromZone) },
    { label: 'Until', show: untilIn },
    { label: 'Rooms', show: ({ rooms }) => rooms.join(', ') },
    {
      label: 'Organizer',
      show: ({ organizerId, organizer }) =>
        html`<a href="${call.link(`/people/${organizerId}`)}">${organizer}</a>`,
    },
    { label: 'People', isNumber: true, show: ({ people }) => people },
  ]
}

function untilIn({ from, to, fromZone, toZone }: EventRow): Html {
  return fromZone === toZone ? showEnd(from, to, toZone) : showInstant(to, toZone)
}

function nothingFound(call: Call): Content {
  const hasPlace = call.query as { place?: string; building?: number }
  return html`<p><strong>No events found.</strong></p>
<p>Try other days or fewer words, <a href="${call.link('/events')}">see the coming week</a>,
or <a href="${call.link('/events/new')}">create an event</a>.</p>
${
  (hasPlace.place !== undefined || hasPlace.building !== undefined) &&
  html`<p>Cancelled events no longer have rooms. Search for them by name and day.</p>`
}`
}
