// Searches over days, in the time zone of the chosen building, or else the zone that most buildings are in.
import { queryId, text } from '../../../shared/schemas/fields.ts'
import { formatLocalDate, startOfDay } from '../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { addDaysToDate, formatDate } from '../time/dates.ts'
import { localDate } from '../time/fields.ts'
import { commonZone, formatZone } from '../time/zones.ts'
import type { Fields } from '../ui/fields.ts'
import { showLink } from '../ui/links.ts'
import type { BuildingChoice } from './choices.ts'

export const daySearch = {
  place: text({ max: 255 }),
  building: queryId(),
  from: localDate(),
  to: localDate(),
}

type DayQuery = { building?: number | undefined; from?: string | undefined; to?: string | undefined }

type Days = {
  /** The current day in `zone`. */
  today: string
  first: string
  last: string
  zone: string
  from: string
  to: string
  isReversed: boolean
}

/** By default, `days` days from today on. */
export function parseDays(query: DayQuery, buildings: BuildingChoice[], now: string, days: number): Days {
  const zone = buildings.find(({ id }) => id === query.building)?.zone ?? commonZone(buildings)
  const today = formatLocalDate(now, zone)
  const first = query.from ?? today
  const asLast = query.to ?? addDaysToDate(first, days - 1)
  // Users who move the first day often forget the last one. Then the page shows a list instead of an error.
  const isReversed = asLast < first
  const last = isReversed ? first : asLast
  return {
    today,
    first,
    last,
    zone,
    from: startOfDay(first, zone),
    to: startOfDay(addDaysToDate(last, 1), zone),
    isReversed,
  }
}

export function describeDays({ first, last, zone, isReversed }: Days): string {
  const days =
    first === last
      ? formatDate(first, 'long')
      : t`${formatDate(first, 'long')} to ${formatDate(last, 'long')}`
  const shown = `${days} (${formatZone(zone)}).`
  return isReversed ? `${shown} ${t`The last day is before the first, so only the first is shown.`}` : shown
}

export function showDaySearch(
  fields: Fields,
  query: DayQuery & { place?: string | undefined },
  buildings: BuildingChoice[],
  { first, last }: Days,
): Html[] {
  const options = buildings.map(({ id, name }) => ({ value: id, label: name }))
  return [
    fields.text({
      name: 'place',
      label: t`Place`,
      type: 'search',
      value: query.place,
      placeholder: t`Floor, desk or room`,
    }),
    fields.select({
      name: 'building',
      label: t`Building`,
      value: query.building,
      options: [{ value: '', label: t`Any` }, ...options],
    }),
    fields.text({ name: 'from', label: t`First day`, type: 'date', value: first }),
    fields.text({ name: 'to', label: t`Last day`, type: 'date', value: last }),
  ]
}

/** The most common days, as links to the same search. */
export function showDayLinks(
  call: Call,
  { today, first, last }: Partial<Pick<Days, 'first' | 'last'>> & Pick<Days, 'today'>,
  { isOfPast = false } = {},
): Html {
  const near = addDaysToDate(today, isOfPast ? -1 : 1)
  const monday = addDaysToDate(today, -((new Date(today).getUTCDay() + 6) % 7))
  const ranges = [
    [t`Today`, today, today],
    [isOfPast ? t`Yesterday` : t`Tomorrow`, near, near],
    [t`This week`, monday, addDaysToDate(monday, 6)],
  ] as const
  const links = ranges.map(([label, from, to]) => {
    const isCurrent = from === first && to === last
    const address = call.linkHere({ from, to, page: null, before: null })
    return html`<li>${showLink(address, label, { 'aria-current': isCurrent ? 'true' : undefined })}</li>`
  })
  return html`<nav class="tabs day-links" aria-label="${t`Days`}"><ul>${links}</ul></nav>`
}
