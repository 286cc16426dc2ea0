// Searches over days, and lists of the results. Days are in the time zone of the chosen building, or else in
// the zone that most buildings are in, or in the zone of each building.
import { queryId, text } from '../../../../shared/schemas/fields.ts'
import { findStartOfDay, formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import type { RowsWithTotal, Slice } from '../../../reads/rows/slices.ts'
import { t, tHtml } from '../../locales/translate.ts'
import type { Call, PageView } from '../page/page.ts'
import { canOpen } from '../page/roles.ts'
import { localDate } from '../time/fields.ts'
import { addDaysToDate, formatDate } from '../time/instants.ts'
import { chooseCommonZone, formatZone } from '../time/zones.ts'
import type { Fields } from '../ui/fields.ts'
import { showFilterBar } from '../ui/forms.ts'
import { createPageSlice, pageNumber, showPagedTable } from '../ui/paging.ts'
import { type Column, showLink, showLinkOrText } from '../ui/parts.ts'
import { type Order, type OrderKeys, parseSort, sortChoice } from '../ui/sorting.ts'
import { chooseOrder, showTooManyToSort } from './bounded-list.ts'
import { type BuildingChoice, listBuildingChoices, showBuildingFilter } from './choices.ts'

const ROWS_PER_PAGE = 50
// The maximum number of pages. Users can narrow their search to see other rows.
const PAGES_MAX = 200

/** The query of a page with a list that is searched by days. */
export const createDayListQuery = <Key extends string>(orders: OrderKeys<Key>) => ({
  place: text({ max: 255 }),
  building: queryId(),
  from: localDate(),
  to: localDate(),
  sort: sortChoice(orders),
  page: pageNumber(PAGES_MAX),
})

type DayQuery = { building?: number | undefined; from?: string | undefined; to?: string | undefined }
type ListQuery<Key extends string> = DayQuery & {
  place?: string | undefined
  sort?: Key | `-${Key}` | undefined
  page: number
}

export type BuildingDays = ReturnType<typeof parseDays>

type DayList<Row, Key extends string> = {
  /** The number of days that are shown by default, starting today. */
  days: number
  /** Whether each building has its own local days, as opposed to the days of one time zone. */
  isOfEachZone?: boolean
  caption: string
  columns(days: BuildingDays, rows: Row[]): Column<Row>[]
  find(days: BuildingDays, slice: Slice, order: Order<Key | 'from'>): Promise<RowsWithTotal<Row>>
  /** Returns the fields of the search. `ofDays` contains the fields for a place and days. */
  fields(fields: Fields, ofDays: Html[]): Content
  lead: Content
  /** Content that is shown below a table that has rows. */
  below?: Content
  empty: Content
  /** Wraps the table in a form that acts on the rows that the user selects. */
  around?(table: Html, rows: Row[]): Html
}

export async function showDayList<Row, Key extends string>(
  call: Call<unknown, ListQuery<Key>>,
  {
    days: count,
    columns,
    find,
    fields,
    lead,
    around,
    below,
    isOfEachZone = false,
    ...list
  }: DayList<Row, Key>,
): Promise<PageView> {
  const { sort, page } = call.query
  const buildings = await listBuildingChoices(call.reads)
  const days = parseDays(call.query, buildings, call.now, count)
  const asked = parseSort<Key | 'from'>(sort, 'from')
  const found = await find(days, createPageSlice(page, ROWS_PER_PAGE), asked)
  const order = chooseOrder(asked, found.total)
  const ofDays = (own: Fields) =>
    fields(own, [
      own.search('place', t`Place`, { placeholder: t`Floor, desk or room` }),
      showBuildingFilter(own, buildings),
      own.text('from', t`First day`, { type: 'date', value: days.first }),
      own.text('to', t`Last day`, { type: 'date', value: days.last }),
    ])
  const table = showPagedTable(call, {
    ...list,
    columns: columns(days, found.rows),
    found,
    order,
    page,
    rowsPerPage: ROWS_PER_PAGE,
    pagesMax: PAGES_MAX,
  })
  return {
    lead: html`${describeDays(days, isOfEachZone)} ${lead}`,
    content: html`${showFilterBar(call, ofDays, showDayLinks(call, days, { isTodayFirst: count === 1 }))}
${order !== asked && showTooManyToSort()}${around && found.rows.length > 0 ? around(table, found.rows) : table}${found.rows.length > 0 && below}`,
  }
}

/** Returns the chosen building’s time zone, or else the zone that most buildings are in. */
export const chooseZone = (building: number | undefined, buildings: BuildingChoice[]): string =>
  buildings.find(({ id }) => id === building)?.zone ?? chooseCommonZone(buildings)

/** Returns the days that a list searched by days shows. */
export const findDays = async (call: Call<unknown, DayQuery>, count: number): Promise<BuildingDays> =>
  parseDays(call.query, await listBuildingChoices(call.reads), call.now, count)

/** Parses the days of a search. `ofZones` is empty if all buildings are in one time zone, or one of them is chosen. */
function parseDays(query: DayQuery, buildings: BuildingChoice[], now: string, count: number) {
  const zones = query.building === undefined ? [...new Set(buildings.map(({ zone }) => zone))] : []
  const ofZones = zones.length > 1 ? zones.map((zone) => findDaysInZone(zone, query, now, count)) : []
  return { ...findDaysInZone(chooseZone(query.building, buildings), query, now, count), ofZones }
}

/** Returns the span from the first of these days to the last, in any time zone, and the days in each time zone. */
export function findWholeSpan({ from, to, ofZones }: BuildingDays) {
  if (ofZones.length === 0) return { from, to }
  const days = ofZones.map((each) => ({ zone: each.zone, from: each.from, to: each.to }))
  const [begins = from] = days.map((each) => each.from).sort()
  const ends =
    days
      .map((each) => each.to)
      .sort()
      .at(-1) ?? to
  return { from: begins, to: ends, days }
}

function findDaysInZone(zone: string, query: DayQuery, now: string, count: number) {
  const today = formatLocalDate(now, zone)
  const first = query.from ?? today
  const asLast = query.to ?? addDaysToDate(first, count - 1)
  // Users who move the first day often forget to move the last one. The page then shows a list instead of an error.
  const isReversed = asLast < first
  const last = isReversed ? first : asLast
  const to = findStartOfDay(addDaysToDate(last, 1), zone)
  return { today, first, last, zone, from: findStartOfDay(first, zone), to, isReversed }
}

function describeDays(
  { first, last, zone, isReversed, ofZones }: BuildingDays,
  isOfEachZone: boolean,
): string {
  const days =
    first === last
      ? formatDate(first, 'long')
      : t`${formatDate(first, 'long')} to ${formatDate(last, 'long')}`
  const where = isOfEachZone && ofZones.length > 0 ? t`the day of each building` : formatZone(zone)
  const shown = `${days} (${where}).`
  return isReversed ? `${shown} ${t`The last day is before the first, so only the first is shown.`}` : shown
}

/** Shows the most common choices of days as links that repeat the search with these days. */
export function showDayLinks(
  call: Call,
  { today, first, last }: Partial<Pick<BuildingDays, 'first' | 'last'>> & Pick<BuildingDays, 'today'>,
  { isOfPast = false, isTodayFirst = false } = {},
): Html {
  const near = addDaysToDate(today, isOfPast ? -1 : 1)
  const monday = addDaysToDate(today, -((new Date(today).getUTCDay() + 6) % 7))
  const nextMonday = addDaysToDate(monday, 7)
  const nextWeek = [t`Next week`, nextMonday, addDaysToDate(nextMonday, 6)] as const
  const ranges = [
    [t`Today`, today, today],
    [isOfPast ? t`Yesterday` : t`Tomorrow`, near, near],
    [t`This week`, monday, addDaysToDate(monday, 6)],
    ...(isOfPast ? [] : [nextWeek]),
  ] as const
  const links = ranges.map(([label, from, to]) => {
    const isCurrent = from === first && to === last
    // If the address has no days, each time zone shows its own today.
    const days = isTodayFirst && from === today && to === today ? { from: null, to: null } : { from, to }
    const address = call.linkHere({ ...days, page: null, before: null })
    return html`<li>${showLink(address, label, { 'aria-current': isCurrent ? 'true' : undefined })}</li>`
  })
  return html`<nav class="tabs day-links" aria-label="${t`Days`}"><ul>${links}</ul></nav>`
}

/**
 * Suggests what to do if a search found nothing. The last suggestion is shown only to viewers who may open its page.
 */
export function suggestOtherSearch(all: Html, address: string, words: string): Html {
  if (!canOpen(address)) return tHtml`Try other days or fewer words, or ${all}.`
  return tHtml`Try other days or fewer words, ${all}, or ${showLinkOrText(address, words)}.`
}
