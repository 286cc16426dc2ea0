// Writes iCalendar objects: new entries, changed ones, and single occurrences of series. What Berth does not know stays as it
// is.
import ICAL from 'ical.js'
import {
  findFirst,
  findMoment,
  KEY_PROPERTY,
  PRIVATE_PROPERTY,
  parseObject,
  writeOriginal,
} from './icalendar.ts'
import { type Moment, MomentReader } from './icalendar-times.ts'
import type { Calendar, EntryChange, EntryContent } from './provider.ts'

const PRODUCT = '-//Berth//Calendars//EN'
// What makes an event a series.
const REPETITION_PROPERTIES = ['rrule', 'rdate', 'exdate', 'exrule']

/** The key is the UID, so that an entry is the same in every calendar that has it. */
export function writeObject(content: EntryContent, key: string): string {
  const calendar = new ICAL.Component('vcalendar')
  calendar.addPropertyWithValue('version', '2.0')
  calendar.addPropertyWithValue('prodid', PRODUCT)
  const event = new ICAL.Component('vevent')
  event.addPropertyWithValue('uid', key)
  event.addPropertyWithValue(KEY_PROPERTY, key)
  event.addPropertyWithValue('sequence', 0)
  setContent(event, content)
  calendar.addSubcomponent(event)
  return calendar.toString()
}

/** Returns the object with another content for an entry, or undefined if it has no such entry. */
export function changeObject(
  text: string,
  original: string | undefined,
  content: EntryChange,
  calendar: Calendar,
): string | undefined {
  const parsed = parseObject({ text })
  const occurrence = original ?? findFirst(parsed, calendar)
  const event =
    occurrence === undefined
      ? parsed.master
      : (findException(parsed, calendar, occurrence) ?? addException(parsed, calendar, occurrence))
  if (!event) return undefined
  const sequence = Number(event.getFirstPropertyValue('sequence') ?? 0)
  event.updatePropertyWithValue('sequence', (Number.isInteger(sequence) ? sequence : 0) + 1)
  setContent(event, content)
  return parsed.calendar.toString()
}

/** Returns the object without an entry, null if nothing is left of it, or undefined if it has no such entry. */
export function removeEntry(
  text: string,
  original: string | undefined,
  calendar: Calendar,
): string | null | undefined {
  const parsed = parseObject({ text })
  const occurrence = original ?? findFirst(parsed, calendar)
  if (occurrence === undefined) return null
  const exception = findException(parsed, calendar, occurrence)
  if (exception) parsed.calendar.removeSubcomponent(exception)
  const moment = findMoment(parsed, calendar, occurrence)
  const { master } = parsed
  if (master && moment) addTime(master, 'exdate', moment)
  return exception || moment ? parsed.calendar.toString() : undefined
}

type Parsed = ReturnType<typeof parseObject>

function findException({ calendar: component, exceptions }: Parsed, calendar: Calendar, original: string) {
  const reader = new MomentReader(component, calendar.zone)
  return exceptions.find((exception) => {
    const moment = reader.read(exception, 'recurrence-id')
    return moment !== undefined && writeOriginal(moment) === original
  })
}

function addException(parsed: Parsed, calendar: Calendar, original: string): ICAL.Component | undefined {
  const moment = findMoment(parsed, calendar, original)
  const { master } = parsed
  if (!master || !moment) return undefined
  const exception = new ICAL.Component(structuredClone(master.toJSON()))
  for (const name of REPETITION_PROPERTIES) exception.removeAllProperties(name)
  addTime(exception, 'recurrence-id', moment, master)
  parsed.calendar.addSubcomponent(exception)
  return exception
}

// Writes a time as the series writes its start: in the same zone, or as a date.
function addTime(event: ICAL.Component, name: string, { wallMs, isDate }: Moment, series = event) {
  const start = series.getFirstProperty('dtstart')
  const startTime: unknown = start?.getFirstValue()
  const local = new Date(wallMs)
  const isUtc = startTime instanceof ICAL.Time && startTime.zone === ICAL.Timezone.utcTimezone
  const time = new ICAL.Time(
    {
      year: local.getUTCFullYear(),
      month: local.getUTCMonth() + 1,
      day: local.getUTCDate(),
      hour: local.getUTCHours(),
      minute: local.getUTCMinutes(),
      second: local.getUTCSeconds(),
      isDate,
    },
    isUtc ? ICAL.Timezone.utcTimezone : ICAL.Timezone.localTimezone,
  )
  const property = event.addPropertyWithValue(name, time)
  const zone = start?.getFirstParameter('tzid')
  if (zone && !isDate) property.setParameter('tzid', zone)
}

function setContent(event: ICAL.Component, content: EntryChange) {
  const set = (name: string, value: string | ICAL.Time) => {
    event.removeAllProperties(name)
    event.addPropertyWithValue(name, value)
  }
  const now = toUtcTime(new Date().toISOString())
  set('dtstamp', now)
  set('last-modified', now)
  set('dtstart', toUtcTime(content.from))
  set('dtend', toUtcTime(content.to))
  event.removeAllProperties('duration')
  if (!('title' in content)) return
  set('summary', content.title)
  if (content.text !== undefined) set('description', content.text)
  // In a shared calendar, Nextcloud shows entries of the class PRIVATE only to the owner of the calendar, and so not to Berth. The
  // title of such an entry is "Private" already.
  set('class', 'PUBLIC')
  event.removeAllProperties(PRIVATE_PROPERTY)
  if (content.isPrivate) set(PRIVATE_PROPERTY, 'TRUE')
  set('transp', 'OPAQUE')
}

const toUtcTime = (instant: string) => ICAL.Time.fromJSDate(new Date(instant), true)
