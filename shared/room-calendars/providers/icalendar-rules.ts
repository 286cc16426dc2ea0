// Refuses iCalendar objects of series that Berth would read wrongly. These entries appear under Conflicts.
import ICAL from 'ical.js'
import type { Moment, MomentReader } from './icalendar-times.ts'
import { UnreadableEntry } from './recurrences.ts'

/** Throws UnreadableEntry if the object excludes dates by a rule, or if one exception changes all later dates. */
export function refuseUnknownExceptions(events: ICAL.Component[]): void {
  if (events.some((event) => event.hasProperty('exrule')))
    throw new UnreadableEntry('Berth does not understand EXRULE.')
  if (events.some((event) => event.getFirstProperty('recurrence-id')?.getFirstParameter('range')))
    throw new UnreadableEntry('Berth does not understand changes of all later dates of a series (RANGE).')
}

const TIME_PARTS = { BYHOUR: 3_600_000, BYMINUTE: 60_000, BYSECOND: 1_000 }

/**
 * Throws UnreadableEntry if the rule names other times of day than that of the start. Ignores the times in rules of whole days, as RFC
 * 5545 requires (3.3.10).
 */
export function requireTimeOfDayOfStart(recur: ICAL.Recur, { wallMs, isDate }: Moment): void {
  const parts = recur.parts as Record<string, Array<number | string> | undefined>
  for (const [name, ms] of Object.entries(TIME_PARTS)) {
    const values = parts[name]
    if (!values || isDate) continue
    const units = name === 'BYHOUR' ? 24 : 60
    const ofStart = ((Math.floor(wallMs / ms) % units) + units) % units
    if (values.some((value) => Number(value) !== ofStart))
      throw new UnreadableEntry(`Berth does not understand ${name} in the rule of a series.`)
  }
}

/** Throws UnreadableEntry if a date that was added to a series has another length than the first date. */
export function requireSameLength(master: ICAL.Component, reader: MomentReader, start: Moment): void {
  const lengths = reader.readPeriodLengths(master)
  if (
    lengths.length > 0 &&
    (start.isDate || lengths.some((ms) => ms !== readLengthMs(master, reader, start)))
  )
    throw new UnreadableEntry('Berth does not understand series whose dates have different lengths.')
}

/** Returns the length of every occurrence. It is that of the first one, even if the clocks change during another (RFC 5545, 3.8.5.3). */
export function readLengthMs(event: ICAL.Component, reader: MomentReader, start: Moment): number {
  const end = reader.read(event, 'dtend')
  if (!end) return readDurationMs(event) ?? 0
  return Date.parse(end.toInstant(end.wallMs)) - Date.parse(start.toInstant(start.wallMs))
}

export function readDurationMs(event: ICAL.Component): number | undefined {
  const duration: unknown = event.getFirstPropertyValue('duration')
  return duration instanceof ICAL.Duration ? duration.toSeconds() * 1_000 : undefined
}
