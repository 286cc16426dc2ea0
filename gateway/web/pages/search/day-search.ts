// Searches over days, in the time zone of the chosen building, or else the zone that most buildings are in, or that of
// each building; and lists that are found by them.
import { queryId, text } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate, startOfDay } from '../../../../shared/schemas/wall-clock.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import type { Listed, Slice } from '../../../reads/rows/slices.ts'
import { t, tHtml } from '../../locales/translate.ts'
import type { Call, View } from '../page/page.ts'
import { mayOpen } from '../page/roles.ts'
import { localDate } from '../time/fields.ts'
import { addDaysToDate, formatDate } from '../time/instants.ts'
import { commonZone, formatZone } from '../time/zones.ts'
import type { Fields } from '../ui/fields.ts'
import { filterBar } from '../ui/forms.ts'
import { pagedTable, pageNumber, sliceOf } from '../ui/paging.ts'
import { type Column, showLink, showLinkOrText } from '../ui/parts.ts'
import { type Order, type OrderKeys, parseSort, sortChoice } from '../ui/sorting.ts'
import { orderOf, tooManyToSort } from './bounded-list.ts'
import { type BuildingChoice, buildingFilter, listBuildingChoices } from './choices.ts'

const ROWS_PER_PAGE = 50
// To see more, users narrow their search.
const PAGES_MAX = 200

/** The query of a page with a list that is found by days. */
export const dayListQuery = <Key extends string>(orders: OrderKeys<Key>) => ({
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

export type Days = ReturnType<typeof parseDays>

type DayList<Row, Key extends string> = {
  /** How many days are shown by default, from today on. */
  days: number
  /** Each building has its own days; otherwise those of one zone. */
  isOfEachZone?: boolean
  caption: string
  columns(days: Days, rows: Row[]): Column<Row>[]
  find(days: Days, slice: Slice, order: Order<Key | 'from'>): Promise<Listed<Row>>
  /** The fields of the search; `ofDays` are those for a place and days. */
  fields(fields: Fields, ofDays: Html[]): Content
  lead: Content
  /** Shown below a table that has rows. */
  below?: Content
  empty: Content
  /** Puts the table in a form, for what is selected in it. */
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
): Promise<View> {
  const { sort, page } = call.query
  const buildings = await listBuildingChoices(call.reads)
  const days = parseDays(call.query, buildings, call.now, count)
  const asked = parseSort<Key | 'from'>(sort, 'from')
  const found = await find(days, sliceOf(page, ROWS_PER_PAGE), asked)
  const order = orderOf(asked, found.total)
  const ofDays = (own: Fields) =>
    fields(own, [
      own.search('place', t`Place`, { placeholder: t`Floor, desk or room` }),
      buildingFilter(own, buildings),
      own.text('from', t`First day`, { type: 'date', value: days.first }),
      own.text('to', t`Last day`, { type: 'date', value: days.last }),
    ])
  const table = pagedTable(call, {
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
    content: html`${filterBar(call, ofDays, showDayLinks(call, days, { isTodayFirst: count === 1 }))}
${order !== asked && tooManyToSort()}${around && found.rows.length > 0 ? around(table, found.rows) : table}${found.rows.length > 0 && below}`,
  }
}

/** The chosen building’s zone, or the one that most buildings are in. */
export const zoneOf = (building: number | undefined, buildings: BuildingChoice[]): string =>
  buildings.find(({ id }) => id === building)?.zone ?? commonZone(buildings)

/** The days that such a list shows. */
export const findDays = async (call: Call<unknown, DayQuery>, count: number): Promise<Days> =>
  parseDays(call.query, await listBuildingChoices(call.reads), call.now, count)

/** `ofZones` is empty if all buildings are in one zone, or one of them is chosen. */
function parseDays(query: DayQuery, buildings: BuildingChoice[], now: string, count: number) {
  const zones = query.building === undefined ? [...new Set(buildings.map(({ zone }) => zone))] : []
  const ofZones = zones.length > 1 ? zones.map((zone) => daysIn(zone, query, now, count)) : []
  return { ...daysIn(zoneOf(query.building, buildings), query, now, count), ofZones }
}

/** From the first of these days anywhere to the last, and what they are in each zone. */
export function spanOf({ from, to, ofZones }: Days) {
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

function daysIn(zone: string, query: DayQuery, now: string, count: number) {
  const today = formatLocalDate(now, zone)
  const first = query.from ?? today
  const asLast = query.to ?? addDaysToDate(first, count - 1)
  // Users who move the first day often forget the last one. Then the page shows a list instead of an error.
  const isReversed = asLast < first
  const last = isReversed ? first : asLast
  const to = startOfDay(addDaysToDate(last, 1), zone)
  return { today, first, last, zone, from: startOfDay(first, zone), to, isReversed }
}

function describeDays({ first, last, zone, isReversed, ofZones }: Days, isOfEachZone: boolean): string {
  const days =
    first === last
      ? formatDate(first, 'long')
      : t`${formatDate(first, 'long')} to ${formatDate(last, 'long')}`
  const where = isOfEachZone && ofZones.length > 0 ? t`the day of each building` : formatZone(zone)
  const shown = `${days} (${where}).`
  return isReversed ? `${shown} ${t`The last day is before the first, so only the first is shown.`}` : shown
}

/** The most common days, as links to the same search. */
export function showDayLinks(
  call: Call,
  { today, first, last }: Partial<Pick<Days, 'first' | 'last'>> & Pick<Days, 'today'>,
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
    // Without days in the address, it is today in each zone.
    const days = isTodayFirst && from === today && to === today ? { from: null, to: null } : { from, to }
    const address = call.linkHere({ ...days, page: null, before: null })
    return html`<li>${showLink(address, label, { 'aria-current': isCurrent ? 'true' : undefined })}</li>`
  })
  return html`<nav class="tabs day-links" aria-label="${t`Days`}"><ul>${links}</ul></nav>`
}

/** What to do if a search found nothing. Only viewers who may take the last suggestion see it. */
export function suggestOtherSearch(all: Html, address: string, words: string): Html {
  if (!mayOpen(address)) return tHtml`Try other days or fewer words, or ${all}.`
  return tHtml`Try other days or fewer words, ${all}, or ${showLinkOrText(address, words)}.`
}
