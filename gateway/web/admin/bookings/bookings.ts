// The Bookings page: who has booked what, where and when.
import { object, queryId, text } from '../../../../shared/schemas/fields.ts'
import type { ExportFormat } from '../../../../shared/users/users.ts'
import { addHours } from '../../../../shared/utilities/date-times.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { plural, sentence, t, tHtml } from '../../locales/translate.ts'
import { findReturnAddress } from '../../pages/page/back.ts'
import { startExport } from '../../pages/page/downloads.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { canOpen } from '../../pages/page/roles.ts'
import { findGroup, showTypeFilter } from '../../pages/search/choices.ts'
import {
  type BuildingDays,
  createDayListQuery,
  findDays,
  findWholeSpan,
  showDayList,
  suggestOtherSearch,
} from '../../pages/search/day-search.ts'
import { formatEnd, formatInstant } from '../../pages/time/instants.ts'
import { showBookableLink, typeChoice } from '../../pages/ui/bookables.ts'
import { createExportItems, showMoreMenu } from '../../pages/ui/menu.ts'
import { type Column, showLink, showLinkOrText, showSelectionBox } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import {
  BOOKING_ORDERS,
  type BookingRow,
  countRequestsAndWaitlist,
  searchBookings,
  toBookingFilters,
} from './queries.ts'

const DAYS_DEFAULT = 1
const query = object({
  ...createDayListQuery(BOOKING_ORDERS),
  person: text({ max: 255 }),
  type: typeChoice(),
  group: queryId(),
})

export const bookingsPage = definePage({
  path: '/bookings',
  title: sentence`Bookings`,
  section: 'Bookings',
  readers: 'reader',
  writers: 'front-desk',
  query,
  downloads: {
    csv: (call) => exportFoundBookings('csv', call),
    xlsx: (call) => exportFoundBookings('xlsx', call),
  },
  async show(call) {
    const { person, place, building, type, group } = call.query
    const ofGroup = group === undefined ? undefined : await findGroup(call.reads, group)
    const mayCancel = canOpen(call.link('/bookings/selected'))
    const list = await showDayList(call, {
      days: DAYS_DEFAULT,
      isOfEachZone: true,
      caption: t`Bookings`,
      columns: (days, rows: BookingRow[]) =>
        mayCancel
          ? [createSelectColumn(call), ...createColumns(call, days, rows)]
          : createColumns(call, days, rows),
      find: (days, slice, order) =>
        searchBookings(
          call.reads,
          { person, place, building, type, group, ...findWholeSpan(days) },
          slice,
          order,
        ),
      fields: (fields, ofDays) => [
        fields.search('person', t`Person`, { placeholder: t`Name or e-mail` }),
        showTypeFilter(fields),
        ofDays,
      ],
      lead: html`${t`Times are local to each building.`}${ofGroup && html` ${t`Only members of ${ofGroup.name}.`}`}`,
      empty: showNothingFound(call),
      around: (table) => (mayCancel ? showSelectionForm(call, table) : table),
    })
    const create = call.link('/bookings/new', { back: findReturnAddress(call) })
    return {
      ...list,
      tools: html`${await showWaitingLinks(call)}${showLink(create, t`New booking`, { class: 'button primary' })}
${showMoreMenu(createExportItems(call))}`,
    }
  },
})

/** Shows links to requests and the waitlist, but only while somebody waits. */
async function showWaitingLinks(call: Call): Promise<Content> {
  const open = await countRequestsAndWaitlist(call.reads, call.now)
  const link = (path: string, count: number, label: string) =>
    count > 0 &&
    html`${showLink(call.link(path), label, { class: 'button quiet' })}
`
  return [
    link('/bookings/requests', open.requests, plural(open.requests, '# request', '# requests')),
    link('/bookings/waitlist', open.waits, plural(open.waits, '# waiting', '# waiting')),
  ]
}

/** Exports all bookings that match the search, including those on other pages. */
async function exportFoundBookings(format: ExportFormat, call: Call<unknown, typeof query.__outputType>) {
  const { person, place, building, type, group } = call.query
  const days = await findDays(call, DAYS_DEFAULT)
  const { from, to, ...others } = findWholeSpan(days)
  const search = { ...toBookingFilters({ person, place, building, type, group, ...others }), from, to }
  return startExport(call, `bookings-${days.first}-to-${days.last}`, 'bookings.export', { format, ...search })
}

/** Links to export all bookings of a person. Shows nothing to viewers who may not export. */
export function showExportLinks(call: Call): Content {
  if (!canOpen(call.download('csv'))) return null
  const file = (format: ExportFormat) => showLinkOrText(call.download(format), format, { download: true })
  return html`<p class="soft files">${tHtml`Export all of their bookings: ${file('csv')}, ${file('xlsx')}.`}</p>`
}

/** Shows buttons for the pages that cancel the selected bookings, or swap two of them. */
function showSelectionForm(call: Call, table: Html): Html {
  const back = findReturnAddress(call)
  return html`<form class="choose" method="get" action="${call.link('/bookings/selected')}" data-choose="cancel">
${back !== undefined && html`<input type="hidden" name="back" value="${back}">`}
${table}
<div class="buttons"><button class="button quiet">${t`Cancel selected`}</button>
<button class="button quiet" formaction="${call.link('/bookings/swap')}" data-pair>${t`Swap two selected`}</button></div></form>`
}

// Past bookings cannot be selected, because they cannot be changed.
const createSelectColumn = ({ now }: Call): Column<BookingRow> => ({
  label: t`Select`,
  isTools: true,
  show: ({ id, to }) => (to === null || to > now) && showSelectionBox(id),
})

/** If the list covers one day in one time zone, times on that day are shown without the date. */
function createColumns(
  call: Call,
  { first, last, from, ofZones }: BuildingDays,
  rows: BookingRow[],
): Column<BookingRow>[] {
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
    {
      label: t`Guest and license plate`,
      show: ({ guest, plate }) => [guest, plate].filter(Boolean).join(', '),
    },
    { label: t`Actions`, isTools: true, show: (row) => showActions(call, row) },
  ]
}

export const formatUntil = ({ from, to, zone }: BookingRow): string =>
  to === null ? t`open-ended` : formatEnd(from, to, zone)

function showActions(call: Call, { id }: BookingRow): Content {
  const open = call.link(`/bookings/${id}`, { back: findReturnAddress(call) })
  return showLink(open, t`Open`)
}

function showNothingFound(call: Call): Content {
  const today = showLinkOrText(call.link('/bookings'), t`see all of today’s bookings`)
  return showEmptyState(
    t`No bookings match.`,
    suggestOtherSearch(today, call.link('/bookings/new'), t`create a booking`),
  )
}
