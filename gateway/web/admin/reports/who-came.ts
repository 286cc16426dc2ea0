// The report “Who came”: who had booked on some days, who checked in and when, and who did not. Where nobody checks in, the
// report shows only who had booked, and says so.
import { CAME_VALUES, type Came } from '../../../../shared/bookings/booking-search.ts'
import { object, queryId, text } from '../../../../shared/schemas/fields.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import type { ExportFormat } from '../../../../shared/users/users.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { numberColumn, selectRow, selectRows, textColumn } from '../../../reads/rows/rows.ts'
import { COUNTED_ROWS_MAX } from '../../../reads/rows/slices.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import { startExport } from '../../pages/page/downloads.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { listFloors, showFloorFilter, toOptions } from '../../pages/search/choices.ts'
import {
  type BuildingDays,
  createDayListQuery,
  findDays,
  findWholeSpan,
  showDayList,
} from '../../pages/search/day-search.ts'
import { formatEnd, formatInstant } from '../../pages/time/instants.ts'
import { showBookableLink } from '../../pages/ui/bookables.ts'
import { oneOfChoices } from '../../pages/ui/fields.ts'
import { createExportItems, showMoreMenu } from '../../pages/ui/menu.ts'
import { type Column, formatNumber, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmptyState, showNotice } from '../../pages/ui/states.ts'
import { formatUntil } from '../bookings/bookings.ts'
import {
  BOOKING_ORDERS,
  type BookingRow,
  type CameCounts,
  countCame,
  searchBookings,
  toBookingFilters,
} from '../bookings/queries.ts'

const DAYS_DEFAULT = 1
const GROUP_CHOICES_MAX = 500

const CAME_LABELS: Record<Came, Sentence> = {
  came: sentence`Checked in`,
  missed: sentence`Did not check in`,
  open: sentence`Not yet`,
  unused: sentence`Without check-in`,
}

const query = object({
  ...createDayListQuery(BOOKING_ORDERS),
  person: text({ max: 255 }),
  location: queryId(),
  group: queryId(),
  came: oneOfChoices(CAME_VALUES),
})
type WhoCameCall = Call<unknown, typeof query.__outputType>

export const whoCamePage = definePage({
  path: '/reports/came',
  title: sentence`Who came`,
  section: 'Reports',
  readers: 'front-desk',
  writers: 'front-desk',
  query,
  downloads: { csv: (call) => exportWhoCame('csv', call), xlsx: (call) => exportWhoCame('xlsx', call) },
  async show(from) {
    const call = await chooseBuildingOfFloor(from)
    const { building } = call.query
    const [floors, groups, days] = await Promise.all([
      building === undefined ? [] : listFloors(call.reads, building),
      listGroupChoices(call.reads),
      findDays(call, DAYS_DEFAULT),
    ])
    const counts = await countCame(call.reads, {
      ...readSearch(call),
      came: undefined,
      ...findWholeSpan(days),
    })
    const list = await showDayList(call, {
      days: DAYS_DEFAULT,
      isOfEachZone: true,
      caption: t`Who came`,
      columns: (shown, rows: BookingRow[]) => createColumns(call, shown, rows),
      find: (shown, slice, order) =>
        searchBookings(call.reads, { ...readSearch(call), ...findWholeSpan(shown) }, slice, order),
      fields: (fields, ofDays) => [
        fields.search('person', t`Person`, { placeholder: t`Name or e-mail` }),
        ofDays,
        floors.length > 0 && showFloorFilter(fields, floors),
        groups.length > 0 && fields.select('group', t`Group`, { any: t`Any`, options: toOptions(groups) }),
        fields.select('came', t`Check-in`, {
          any: t`Any`,
          options: CAME_VALUES.map((value) => ({ value, label: translate(CAME_LABELS[value]) })),
        }),
      ],
      lead: t`Times are local to each building.`,
      empty: showEmptyState(t`Nobody had booked then.`),
      around: (table) => html`${showCounts(counts)}${table}`,
    })
    return {
      ...list,
      breadcrumbs: [[t`Reports`, '/reports']],
      tools: showMoreMenu(createExportItems(call)),
    }
  },
})

/** Also chooses the building of the floor in the address, as the page of a day does. Ignores a floor of another building. */
async function chooseBuildingOfFloor(call: WhoCameCall): Promise<WhoCameCall> {
  const { location, building } = call.query
  if (location === undefined) return call
  const columns = { building: numberColumn('building_id') }
  const floor = await selectRow(call.reads, columns, 'locations WHERE id = $1', [location])
  if (!floor) return call
  if (building === undefined || building === floor.building)
    return { ...call, query: { ...call.query, building: floor.building } }
  return { ...call, query: { ...call.query, location: undefined } }
}

const listGroupChoices = (reads: Call['reads']) =>
  selectRows(
    reads,
    { id: numberColumn('id'), name: textColumn('name') },
    `groups ORDER BY ${naturalSql('name')}, id LIMIT ${GROUP_CHOICES_MAX}`,
  )

const readSearch = ({ query: { person, place, building, location, group, came } }: WhoCameCall) => ({
  person,
  place,
  building,
  location,
  group,
  came,
})

async function exportWhoCame(format: ExportFormat, from: WhoCameCall) {
  const call = await chooseBuildingOfFloor(from)
  const days = await findDays(call, DAYS_DEFAULT)
  const { from: begins, to, ...others } = findWholeSpan(days)
  const search = { ...toBookingFilters({ ...readSearch(call), ...others }), from: begins, to }
  return startExport(call, `who-came-${days.first}-to-${days.last}`, 'bookings.export', { format, ...search })
}

function showCounts({ came, missed, open, unused, hasMore }: CameCounts): Html {
  const booked = came + missed + open + unused
  if (booked > 0 && unused === booked)
    return showNotice('neutral', t`Check-in is not used there, so this list shows who had booked.`)
  const figure = (count: number, label: string) =>
    html`<p class="figure"><strong>${formatNumber(count)}</strong> ${label}</p>`
  return html`<div class="grid">${figure(booked, t`booked`)}${figure(came, t`checked in`)}${figure(missed, t`did not check in`)}${open > 0 && figure(open, t`not yet`)}${unused > 0 && figure(unused, t`without check-in`)}</div>
${hasMore && html`<p class="soft">${t`These figures count only the first ${formatNumber(COUNTED_ROWS_MAX)} bookings.`}</p>`}`
}

function createColumns(call: Call, { first, last }: BuildingDays, rows: BookingRow[]): Column<BookingRow>[] {
  const isOneDay = first === last
  const buildings = new Set(rows.map(({ buildingId }) => buildingId))
  return [
    {
      label: t`Person`,
      sort: 'person',
      show: ({ userId, user, email }) =>
        html`${showLinkOrText(call.link(`/people/${userId}`), user)} <small>${email}</small>`,
    },
    { label: t`Came`, show: (row) => describeCame(row, call.now) },
    { label: t`Desk or room`, sort: 'bookable', show: (row) => showBookableLink(call, row) },
    {
      label: t`Floor`,
      sort: 'location',
      isWide: true,
      show: ({ location, building }) =>
        buildings.size > 1 ? html`${location} <small>${building}</small>` : location,
    },
    {
      label: t`From`,
      sort: 'from',
      isShort: true,
      show: ({ from, zone }) => formatInstant(from, zone),
    },
    { label: t`Until`, sort: 'until', isShort: true, isMinor: isOneDay, show: formatUntil },
  ]
}

/** Shows when the person checked in, or why no check-in is known. */
function describeCame(row: BookingRow, now: string): Content {
  const { from, to, zone, checkInFrom, checkInUntil, checkedInAt, releasedAt } = row
  if (checkedInAt !== null)
    return html`<span class="badge good">${t`checked in ${formatEnd(from, checkedInAt, zone)}`}</span>`
  if (checkInFrom === null) return html`<span class="soft">${t`no check-in here`}</span>`
  const until = checkInUntil ?? to
  if (releasedAt !== null) return html`<span class="badge bad">${t`did not come, released`}</span>`
  if (until !== null && until <= now) return html`<span class="badge warn">${t`did not check in`}</span>`
  return html`<span class="soft">${t`not yet`}</span>`
}
