// Converts times of iCalendar objects to instants: in zones that everybody knows, in zones that the object describes itself,
// and in none.
import ICAL from 'ical.js'
import { fromWallClock } from '../../schemas/wall-clock.ts'
import { formatInstant } from '../../utilities/date-times.ts'
import { findZone } from './windows-zones.ts'

const DAY_MS = 24 * 3_600_000

/** A point in time, before any conversion. `wallMs` is its local time as if that were UTC. */
export type Moment = {
  wallMs: number
  isDate: boolean
  /** Converts a local time in the zone of this moment. */
  toInstant(wallMs: number): string
}

export class MomentReader {
  readonly #calendarZone: string
  readonly #described = new Map<string, ICAL.Timezone>()

  constructor(calendar: ICAL.Component, calendarZone: string) {
    this.#calendarZone = calendarZone
    for (const component of calendar.getAllSubcomponents('vtimezone')) {
      const id = component.getFirstPropertyValue('tzid')
      if (typeof id === 'string') this.#described.set(id, new ICAL.Timezone(component))
    }
  }

  read(component: ICAL.Component, name: string): Moment | undefined {
    return this.readAll(component, name)[0]
  }

  readAll(component: ICAL.Component, name: string): Moment[] {
    return component.getAllProperties(name).flatMap((property) => {
      const zone = property.getFirstParameter('tzid')
      return property.getValues().flatMap((value: unknown) => {
        // An RDATE may be a period, whose start counts here.
        const time = value instanceof ICAL.Period ? value.start : value
        return time instanceof ICAL.Time ? [this.fromTime(time, zone)] : []
      })
    })
  }

  /** Returns the lengths of the added times (RDATE) that are periods. */
  readPeriodLengths(component: ICAL.Component): number[] {
    return component.getAllProperties('rdate').flatMap((property) => {
      const zone = property.getFirstParameter('tzid')
      return property.getValues().flatMap((value: unknown) => {
        if (!(value instanceof ICAL.Period)) return []
        if (value.duration) return [value.duration.toSeconds() * 1_000]
        const [start, end] = [this.fromTime(value.start, zone), this.fromTime(value.end, zone)]
        return [Date.parse(end.toInstant(end.wallMs)) - Date.parse(start.toInstant(start.wallMs))]
      })
    })
  }

  fromTime(time: ICAL.Time, zoneId?: string): Moment {
    // Date.UTC takes the years 0 to 99 for those of the 20th century.
    const wall = new Date(0)
    wall.setUTCFullYear(time.year, time.month - 1, time.day)
    if (!time.isDate) wall.setUTCHours(time.hour, time.minute, time.second)
    const wallMs = wall.getTime()
    return { wallMs, isDate: time.isDate, toInstant: this.#chooseZone(time, zoneId) }
  }

  // The rules of a known name win over those in the object, which often describe one year only. A name of nobody's has
  // nothing but its description.
  #chooseZone(time: ICAL.Time, zoneId: string | undefined): (wallMs: number) => string {
    if (time.zone === ICAL.Timezone.utcTimezone) return formatInstant
    const zone = zoneId === undefined ? undefined : findZone(zoneId)
    const described = zone || zoneId === undefined ? undefined : this.#described.get(zoneId)
    if (!described) return (wallMs) => fromWallClock(wallMs, zone ?? this.#calendarZone)
    return (wallMs) => {
      const local = ICAL.Time.fromJSDate(new Date(wallMs), true)
      local.zone = described
      return formatInstant(local.toUnixTime() * 1_000)
    }
  }
}

export const toDate = (wallMs: number) => new Date(wallMs).toISOString().slice(0, 10)
export const addDays = (wallMs: number, days: number) => wallMs + days * DAY_MS
