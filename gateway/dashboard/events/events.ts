// The Events page: what takes place where and when, including cancelled events.
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { object, text } from '../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { hereAsBack } from '../kit/back.ts'
import { type Call, page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { dayListQuery, showDayList, suggestOtherSearch } from '../search/day-search.ts'
import { showEnd, showInstant } from '../time/instants.ts'
import { choices } from '../ui/fields.ts'
import { type Column, showLink, showLinkOrText } from '../ui/parts.ts'
import { showEventStatus } from './event.ts'
import { EVENT_ORDERS, type EventRow, searchEvents } from './queries.ts'

const STATES = choices(
  ['all', sentence`All`],
  ['confirmed', sentence`Confirmed`],
  ['cancelled', sentence`Cancelled`],
)

export const events = page({
  path: '/events',
  title: sentence`Events`,
  section: 'Events',
  readers: 'reader',
  writers: 'front-desk',
  query: object({ ...dayListQuery(EVENT_ORDERS), name: text({ max: 255 }), state: STATES.rule() }),
  async show(call) {
    const { name, place, building, state = 'all' } = call.query
    const status = state === 'all' ? undefined : EVENT_STATUSES[state]
    const list = await showDayList(call, {
      days: 7,
      caption: t`Events`,
      columns: columns(call),
      find: ({ from, to }, slice, order) =>
        searchEvents(call.reads, { search: name, place, building, status, from, to }, slice, order),
      fields: (fields, ofDays) => [
        fields.search('name', t`Name`, { placeholder: t`Event or organizer` }),
        ofDays,
        fields.select('state', t`Status`, { options: STATES.options() }),
      ],
      lead: t`Times are in the time zone of each event.`,
      empty: nothingFound(call, place !== undefined || building !== undefined),
    })
    const create = call.link('/events/new', { back: hereAsBack(call) })
    return { ...list, tools: showLink(create, t`New event`, { class: 'button primary' }) }
  },
})

function columns(call: Call): Column<EventRow>[] {
  return [
    {
      label: t`Name`,
      sort: 'name',
      show: (row) =>
        html`${showLinkOrText(call.link(`/events/${row.id}`, { back: hereAsBack(call) }), row.name)} ${showEventStatus(row, call.now)}`,
    },
    { label: t`From`, sort: 'from', isShort: true, show: (row) => showInstant(row.from, row.fromZone) },
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

function nothingFound(call: Call, isOfPlace: boolean): Content {
  const week = showLinkOrText(call.link('/events'), t`see the coming week`)
  return html`<p><strong>${t`No events match.`}</strong></p>
<p>${suggestOtherSearch(week, call.link('/events/new'), t`create an event`)}</p>
${isOfPlace && html`<p>${t`Cancelled events no longer have rooms. Search for them by name and day.`}</p>`}`
}
