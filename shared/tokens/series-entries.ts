// Formats the dates of a series of events as one calendar entry, for subscribed calendars and for mails.
import { spellTimezone } from '../utilities/time-zones.ts'
import {
  type CalendarPart,
  type CalendarScope,
  describeContent,
  describeVersion,
  END_CALENDAR,
  findEntryEnd,
  formatComponent,
  formatEntry,
  formatLines,
  wrapPart,
} from './calendar-file.ts'
import { describeSeries, describeSeriesDate, type SeriesDate } from './calendar-series.ts'
import { describeTimezone, type Property } from './calendar-timezones.ts'
import type { CalendarEntry } from './calendars-shape.ts'

/** An event of a series. */
export type SeriesEntry = CalendarEntry & {
  series: NonNullable<CalendarEntry['series']>
  occurs_at: string
}

export const isInSeries = (entry: CalendarEntry): entry is SeriesEntry =>
  entry.series !== null && entry.occurs_at !== null

type EntryInScope = { entry: SeriesEntry; scope: CalendarScope }

const toSeriesDate = ({ entry, scope }: EntryInScope): SeriesDate => ({
  occursAt: entry.occurs_at,
  from: entry.from,
  to: findEntryEnd(entry),
  content: describeContent(entry, scope),
})

const formatEvents = (components: Property[][]) =>
  components.map((properties) => formatComponent('VEVENT', properties)).join('')

const describeHead = (entries: SeriesEntry[], { series }: SeriesEntry, database: string, sequence: number) =>
  describeVersion(entries, `series-${series.id}@${database}.berth`, sequence)

/** Formats the dates of one series, without cancelled dates. If all dates are cancelled, formats a cancelled entry. */
function formatSeries(dates: EntryInScope[], sequence: number): string {
  const [first] = dates
  if (!first) return ''
  const all = dates.map(({ entry }) => entry)
  const head = describeHead(all, first.entry, first.scope.database, sequence)
  const present = dates.filter(({ entry }) => !entry.cancelled)
  return formatEvents(
    describeSeries(first.entry.series, (present.length > 0 ? present : dates).map(toSeriesDate), head),
  )
}

/**
 * Writes the calendar part of a mail about a series. The part contains the dates that the reader attends. With
 * `isOneDate`, it contains only one date, which has changed or is cancelled. A cancellation of the whole series has one
 * component without dates.
 */
export function writeSeriesPart(dates: EntryInScope[], sequence: number, isOneDate: boolean): CalendarPart {
  const [first] = dates
  if (!first) throw new Error('A calendar part needs a date')
  const { entry, scope } = first
  const head = describeHead([entry], entry, scope.database, sequence)
  const isCancelled = entry.cancelled
  const format = () => {
    if (isOneDate) return formatEvents([describeSeriesDate(toSeriesDate(first), entry.series.timezone, head)])
    return formatSeries(isCancelled ? [first] : dates, sequence)
  }
  const times = dates
    .flatMap((each) => [each.entry.occurs_at, each.entry.from, findEntryEnd(each.entry)])
    .sort()
  const zone = describeTimezone(entry.series.timezone, times[0] ?? '', times.at(-1) ?? '')
  return wrapPart(isCancelled ? 'cancel' : 'request', formatLines(zone) + format())
}

/**
 * Returns functions that format the entries of a subscribed calendar in batches. All dates of a series must come in a
 * row. They are formatted after the last one is known. The calendar has entries between `from` and `to`.
 */
export function createFeedFormat(scope: CalendarScope, { from, to }: { from: string; to: string }) {
  const zones = new Set<string>()
  let dates: SeriesEntry[] = []
  const formatZone = (name: string) => {
    const zone = spellTimezone(name)
    const isKnown = zones.has(zone)
    zones.add(zone)
    return isKnown ? '' : formatLines(describeTimezone(zone, from, to))
  }
  const finishSeries = () => {
    const { series } = dates[0] ?? {}
    if (!series) return ''
    const text =
      formatZone(series.timezone) +
      formatSeries(
        dates.map((entry) => ({ entry, scope })),
        series.sequence,
      )
    dates = []
    return text
  }
  const add = (entry: CalendarEntry) => {
    const before = entry.series?.id === dates[0]?.series.id ? '' : finishSeries()
    if (!isInSeries(entry)) return before + formatEntry(entry, scope)
    dates.push(entry)
    return before
  }
  return {
    format(joined: string): string {
      const entries: CalendarEntry[] = JSON.parse(`[${joined}]`)
      return entries.map(add).join('')
    },
    get end() {
      return finishSeries() + END_CALENDAR
    },
  }
}
