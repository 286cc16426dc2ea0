// The Bookings page: who has booked what, where and when.
import { object, queryId, text } from '../../../../shared/schemas/fields.ts'
import type { ExportFormat } from '../../../../shared/users/users.ts'
import { addHours } from '../../../../shared/utilities/date-times.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { plural, sentence, t, tHtml } from '../../locales/translate.ts'
import { hereAsBack } from '../../pages/page/back.ts'
import { exported } from '../../pages/page/downloads.ts'
import { type Call, page } from '../../pages/page/page.ts'
import { mayOpen } from '../../pages/page/roles.ts'
import { findGroup, typeFilter } from '../../pages/search/choices.ts'
import {
  type Days,
  dayListQuery,
  findDays,
  showDayList,
  spanOf,
  suggestOtherSearch,
} from '../../pages/search/day-search.ts'
import { formatEnd, formatInstant } from '../../pages/time/instants.ts'
import { showBookableLink, typeChoice } from '../../pages/ui/bookables.ts'
import { exportItems, moreMenu } from '../../pages/ui/menu.ts'
import { type Column, selectionBox, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmpty } from '../../pages/ui/states.ts'
import { BOOKING_ORDERS, type BookingRow, countOpen, filtersOf, searchBookings } from './queries.ts'

const DAYS = 1
const query = object({
  ...dayListQuery(BOOKING_ORDERS),
  person: text({ max: 255 }),
  type: typeChoice(),
  group: queryId(),
})

export const bookings = page({
  path: '/bookings',
  title: sentence`Bookings`,
  section: 'Bookings',
  readers: 'reader',
  writers: 'front-desk',
  query,
  downloads: { csv: (call) => exportFound('csv', call), xlsx: (call) => exportFound('xlsx', call) },
  async show(call) {
    const { person, place, building, type, group } = call.query
    const ofGroup = group === undefined ? undefined : await findGroup(call.reads, group)
    const mayCancel = mayOpen(call.link('/bookings/selected'))
    const list = await showDayList(call, {
      days: DAYS,
      isOfEachZone: true,
      caption: t`Bookings`,
      columns: (days, rows: BookingRow[]) =>
        mayCancel ? [selectColumn(call), ...columns(call, days, rows)] : columns(call, days, rows),
      find: (days, slice, order) =>
        searchBookings(call.reads, { person, place, building, type, group, ...spanOf(days) }, slice, order),
      fields: (fields, ofDays) => [
        fields.search('person', t`Person`, { placeholder: t`Name or e-mail` }),
        typeFilter(fields),
        ofDays,
      ],
      lead: html`${t`Times are local to each building.`}${ofGroup && html` ${t`Only members of ${ofGroup.name}.`}`}`,
      empty: nothingFound(call),
      around: (table) => (mayCancel ? selectionForm(call, table) : table),
    })
    const create = call.link('/bookings/new', { back: hereAsBack(call) })
    return {
      ...list,
      tools: html`${await openLinks(call)}${showLink(create, t`New booking`, { class: 'button primary' })}
${moreMenu(exportItems(call))}`,
    }
  },
})

/** Only while some are waiting. */
async function openLinks(call: Call): Promise<Content> {
  const open = await countOpen(call.reads, call.now)
  const link = (path: string, count: number, label: string) =>
    count > 0 &&
    html`${showLink(call.link(path), label, { class: 'button quiet' })}
`
  return [
    link('/bookings/requests', open.requests, plural(open.requests, '# request', '# requests')),
    link('/bookings/waitlist', open.waits, plural(open.waits, '# waiting', '# waiting')),
  ]
}

/** All bookings that the search finds, including other pages. */
async function exportFound(format: ExportFormat, call: Call<unknown, typeof query.__outputType>) {
  const { person, place, building, type, group } = call.query
  const days = await findDays(call, DAYS)
  const { from, to, ...others } = spanOf(days)
  const search = { ...filtersOf({ person, place, building, type, group, ...others }), from, to }
  return exported(call, `bookings-${days.first}-to-${days.last}`, 'bookings.export', { format, ...search })
}

/** Links to export all bookings of a person. Shows nothing to viewers who may not export. */
export function exportLinks(call: Call): Content {
  if (!mayOpen(call.download('csv'))) return null
  const file = (format: ExportFormat) => showLinkOrText(call.download(format), format, { download: true })
  return html`<p class="soft files">${tHtml`Export all of their bookings: ${file('csv')}, ${file('xlsx')}.`}</p>`
}

/** Leads to the pages that cancel the selected bookings, or swap two of them. */
function selectionForm(call: Call, table: Html): Html {
  const back = hereAsBack(call)
  return html`<form class="choose" method="get" action="${call.link('/bookings/selected')}" data-choose="cancel">
${back !== undefined && html`<input type="hidden" name="back" value="${back}">`}
${table}
<div class="buttons"><button class="button quiet">${t`Cancel selected`}</button>
<button class="button quiet" formaction="${call.link('/bookings/swap')}" data-pair>${t`Swap two selected`}</button></div></form>`
}

// Past bookings cannot be changed.
const selectColumn = ({ now }: Call): Column<BookingRow> => ({
  label: t`Select`,
  isTools: true,
  show: ({ id, to }) => (to === null || to > now) && selectionBox(id),
})

/** In a list of one day in one time zone, times on that day are shown without the date. */
function columns(call: Call, { first, last, from, ofZones }: Days, rows: BookingRow[]): Column<BookingRow>[] {
  const noon = first === last && ofZones.length === 0 ? addHours(from, 12) : undefined
  const people = new Map(rows.map(({ userId, user }) => [user, userId]))
  const namesakes = new Set(
    rows.filter(({ userId, user }) => people.get(user) !== userId).map(({ user }) => user),
  )
  return [
    {
      label: t`Person`,
      sort: 'person',
      show: ({ userId, user, email }) =>
        html`${showLinkOrText(call.link(`/people/${userId}`), user)}${namesakes.has(user) && html` <small>${email}</small>`}`,
    },
    { label: t`Desk or room`, sort: 'bookable', show: (row) => showBookableLink(call, row) },
    {
      label: t`Floor`,
      sort: 'location',
      isWide: true,
      show: ({ location, building }) => html`${location} <small>${building}</small>`,
    },
    {
      label: t`From`,
      sort: 'from',
      isShort: true,
      show: ({ from: start, zone }) => (noon ? formatEnd(noon, start, zone) : formatInstant(start, zone)),
    },
    { label: t`Until`, sort: 'until', isShort: true, show: formatUntil },
    { label: t`Guest, plate`, show: ({ guest, plate }) => [guest, plate].filter(Boolean).join(', ') },
    { label: t`Actions`, isTools: true, show: (row) => tools(call, row) },
  ]
}

export const formatUntil = ({ from, to, zone }: BookingRow): string =>
  to === null ? t`open-ended` : formatEnd(from, to, zone)

function tools(call: Call, { id }: BookingRow): Content {
  const open = call.link(`/bookings/${id}`, { back: hereAsBack(call) })
  return showLink(open, t`Open`)
}

function nothingFound(call: Call): Content {
  const today = showLinkOrText(call.link('/bookings'), t`see all of today`)
  return showEmpty(
    t`No bookings match.`,
    suggestOtherSearch(today, call.link('/bookings/new'), t`create a booking`),
  )
}
