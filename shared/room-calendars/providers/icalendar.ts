// Reads iCalendar objects (RFC 5545) as CalDAV servers keep them: one meeting, with its exceptions if it repeats.
import { createHash } from 'node:crypto'
import ICAL from 'ical.js'
import { createAllDayTimes, createTimes, type EntryTimes, isStorable, overlaps } from './entry-times.ts'
import {
  readDurationMs,
  readLengthMs,
  refuseUnknownExceptions,
  requireSameLength,
  requireTimeOfDayOfStart,
} from './icalendar-rules.ts'
import { addDays, type Moment, MomentReader, toDate } from './icalendar-times.ts'
import type { Answer, Calendar, CalendarEntry, EntryPerson, Period } from './provider.ts'
import { listDates, type RepetitionRule, UnreadableEntry } from './recurrences.ts'
import { toStoredUid } from './uids.ts'

const OBJECT_CHARACTERS_MAX = 1_000_000
const RULES_MAX = 4
const DAY_MS = 24 * 3_600_000
/** Marks the objects that Berth wrote, with their key. */
export const KEY_PROPERTY = 'x-berth-key'
/** Marks the private entries that Berth wrote, which do not have the class PRIVATE. */
export const PRIVATE_PROPERTY = 'x-berth-private'

/** The name of the object with a key. */
export const createObjectName = (key: string) =>
  `berth-${createHash('sha256').update(key).digest('hex').slice(0, 40)}.ics`

export type CalendarObject = { href: string; etag: string; text: string }

const ANSWERS: Record<string, Answer> = {
  ACCEPTED: 'accepted',
  TENTATIVE: 'tentative',
  DECLINED: 'declined',
}

/** Returns the entries of an object that overlap the period. Throws UnreadableEntry if nobody can know them. */
export function readEntries(object: CalendarObject, calendar: Calendar, period: Period): CalendarEntry[] {
  return expandObject(object, calendar, period).filter((entry) => overlaps(entry, period))
}

/** Returns one entry of an object, whenever it is. */
export function readEntry(object: CalendarObject, calendar: Calendar, id: string): CalendarEntry | undefined {
  const [, original] = id.split('#')
  if (original && Number.isNaN(readOriginalMs(original))) return undefined
  return expandObject(object, calendar, periodAround(original)).find((entry) => entry.id === id)
}

// Of a series, one occurrence is needed. What is no series is not limited by the period.
function periodAround(original: string | undefined): Period {
  const ms = original ? readOriginalMs(original) : 0
  return { from: new Date(ms - DAY_MS).toISOString(), to: new Date(ms + DAY_MS).toISOString() }
}

/** `original` is the start of an occurrence as `writeOriginal` writes it. */
export function readOriginalMs(original: string): number {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/.exec(original) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

/** The time that the repetition gives to an occurrence, which identifies it wherever it is moved to. */
export function writeOriginal(moment: Moment, wallMs = moment.wallMs): string {
  if (moment.isDate) return toDate(wallMs).replaceAll('-', '')
  return `${moment.toInstant(wallMs).slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

export type ParsedObject = { calendar: ICAL.Component; master?: ICAL.Component; exceptions: ICAL.Component[] }

export function parseObject({ text }: Pick<CalendarObject, 'text'>): ParsedObject {
  if (text.length > OBJECT_CHARACTERS_MAX) throw new UnreadableEntry('The entry is too large.')
  return orUnreadable(() => {
    const parsed: unknown[] = ICAL.parse(text)
    const calendar = new ICAL.Component(parsed)
    const events = calendar.getAllSubcomponents('vevent')
    refuseUnknownExceptions(events)
    const isException = (event: ICAL.Component) => event.hasProperty('recurrence-id')
    const master = events.find((event) => !isException(event))
    return { calendar, ...(master && { master }), exceptions: events.filter(isException) }
  })
}

/**
 * Throws UnreadableEntry in place of the errors of ical.js, which quote the entry. Its content must get neither into the database
 * nor into the log.
 */
export function orUnreadable<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableEntry) throw error
    throw new UnreadableEntry('The entry is not valid iCalendar.')
  }
}

const expandObject = (object: CalendarObject, calendar: Calendar, period: Period): CalendarEntry[] =>
  orUnreadable(() => expandParsed(parseObject(object), object, calendar, period))

function expandParsed(
  { calendar: component, master, exceptions }: ParsedObject,
  object: CalendarObject,
  calendar: Calendar,
  period: Period,
): CalendarEntry[] {
  const reader = new MomentReader(component, calendar.zone)
  const replaced = new Map(
    exceptions.flatMap((exception) => {
      const original = reader.read(exception, 'recurrence-id')
      return original ? [[writeOriginal(original), exception] as const] : []
    }),
  )
  const start = master && reader.read(master, 'dtstart')
  // The first occurrence has the id of the object, so that a meeting stays the same when somebody makes it a series.
  const toOccurrence = (original: string) => (start && namesOf(start).includes(original) ? '' : original)
  const entries: CalendarEntry[] = []
  for (const [original, exception] of replaced) {
    if (isCancelled(exception)) continue
    const times = readTimes(exception, reader, calendar)
    if (times) entries.push(createEntry(exception, object, times, toOccurrence(original)))
  }
  if (!master) return entries
  if (!start) throw new UnreadableEntry('The entry has no start.')
  if (!isSeries(master)) {
    const times = readTimes(master, reader, calendar)
    return times ? [...entries, createEntry(master, object, times)] : entries
  }
  const excluded = listExcluded(master, reader)
  const isLeftOut = (original: string) => excluded.has(original) || replaced.has(original)
  const first = readTimes(master, reader, calendar)
  const lengthMs = first ? Date.parse(first.to) - Date.parse(first.from) : 0
  const earliest = new Date(Date.parse(period.from) - lengthMs).toISOString()
  for (const moment of listMoments(master, reader, start, { from: earliest, to: period.to })) {
    const original = writeOriginal(moment)
    if (namesOf(moment).some(isLeftOut)) continue
    const times = readTimes(master, reader, calendar, moment)
    if (times) entries.push(createEntry(master, object, times, toOccurrence(original)))
  }
  return entries
}

const isSeries = (master: ICAL.Component) => ['rrule', 'rdate'].some((name) => master.hasProperty(name))

// An EXDATE or RECURRENCE-ID names the start of an occurrence, or its day alone.
const namesOf = (moment: Moment): string[] => [
  writeOriginal(moment),
  writeOriginal({ ...moment, isDate: true }),
]

const listExcluded = (master: ICAL.Component, reader: MomentReader): Set<string> =>
  new Set(reader.readAll(master, 'exdate').map((moment) => writeOriginal(moment)))

/** Returns the original start of the first occurrence of a series, or undefined if the object is no series. */
export function findFirst(
  { calendar: component, master }: ParsedObject,
  calendar: Calendar,
): string | undefined {
  const start = master && new MomentReader(component, calendar.zone).read(master, 'dtstart')
  return start && isSeries(master) ? writeOriginal(start) : undefined
}

/** Returns the start of one occurrence, as the repetition gives it, unless it is excluded. */
export function findMoment(
  { calendar: component, master }: ParsedObject,
  calendar: Calendar,
  original: string,
) {
  const reader = new MomentReader(component, calendar.zone)
  const start = master && reader.read(master, 'dtstart')
  if (!master || !start) return undefined
  const excluded = listExcluded(master, reader)
  const found = listMoments(master, reader, start, periodAround(original)).find(
    (moment) => writeOriginal(moment) === original,
  )
  return found && namesOf(found).some((name) => excluded.has(name)) ? undefined : found
}

/** Returns the starts of the occurrences of a period, as the repetition gives them, and of a few around it. */
function listMoments(
  master: ICAL.Component,
  reader: MomentReader,
  start: Moment,
  { from, to }: Period,
): Moment[] {
  const found = new Map<number, Moment>([[start.wallMs, start]])
  // A day more, because local time is not UTC.
  const [startMs, endMs] = [Date.parse(from) - DAY_MS, Date.parse(to) + DAY_MS]
  const rules = master.getAllProperties('rrule')
  if (rules.length > RULES_MAX) throw new UnreadableEntry(`The entry has more than ${RULES_MAX} rules.`)
  for (const property of rules) {
    const recur: unknown = property.getFirstValue()
    if (!(recur instanceof ICAL.Recur)) throw new UnreadableEntry('The rule of the series cannot be read.')
    requireTimeOfDayOfStart(recur, start)
    const rule = readRule(recur)
    const last = recur.until ? reader.fromTime(recur.until) : undefined
    for (const wallMs of listDates(rule, start.wallMs, endMs)) {
      if (last && isAfter({ ...start, wallMs }, last, recur.until)) break
      if (wallMs >= startMs) found.set(wallMs, { ...start, wallMs })
    }
  }
  requireSameLength(master, reader, start)
  for (const moment of reader.readAll(master, 'rdate')) found.set(moment.wallMs, moment)
  return [...found.values()]
}

// UNTIL is a date, a local time, or an instant. A date includes its whole day.
function isAfter(moment: Moment, last: Moment, until: ICAL.Time | null): boolean {
  if (last.isDate) return toDate(moment.wallMs) > toDate(last.wallMs)
  // Converting is slow, and local time is never a day away from UTC.
  if (Math.abs(moment.wallMs - last.wallMs) > DAY_MS) return moment.wallMs > last.wallMs
  if (until?.zone === ICAL.Timezone.utcTimezone && !moment.isDate)
    return Date.parse(moment.toInstant(moment.wallMs)) > last.wallMs
  return moment.wallMs > last.wallMs
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

function readRule(recur: ICAL.Recur): RepetitionRule {
  const every = recur.freq as RepetitionRule['every']
  if (!['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'].includes(every))
    throw new UnreadableEntry(`Berth does not understand series that repeat ${recur.freq}.`)
  const parts = recur.parts as Record<string, Array<number | string> | undefined>
  const numbers = (name: string) => parts[name]?.map(Number)
  const weekdays = parts.BYDAY?.map((text) => {
    const [, nth = '', day = ''] = /^([+-]?\d*)(\w\w)$/.exec(String(text)) ?? []
    return { weekday: WEEKDAYS.indexOf(day) + 1, nth: Number(nth) }
  })
  const [months, monthDays, yearDays] = [numbers('BYMONTH'), numbers('BYMONTHDAY'), numbers('BYYEARDAY')]
  const [weekNumbers, positions] = [numbers('BYWEEKNO'), numbers('BYSETPOS')]
  return {
    every,
    interval: Math.max(1, recur.interval),
    // ical.js numbers the days of the week from Sunday, which is 1.
    weekStart: ((recur.wkst + 5) % 7) + 1,
    ...(recur.count && { count: recur.count }),
    ...(months && { months }),
    ...(monthDays && { monthDays }),
    ...(yearDays && { yearDays }),
    ...(weekNumbers && { weekNumbers }),
    ...(weekdays && { weekdays }),
    ...(positions && { positions }),
  }
}

/** Returns the times of an event, or of an occurrence of it that starts at `start`. */
function readTimes(
  event: ICAL.Component,
  reader: MomentReader,
  calendar: Calendar,
  start = reader.read(event, 'dtstart'),
): EntryTimes | undefined {
  const first = reader.read(event, 'dtstart')
  if (!start || !first) return undefined
  if (start.isDate) {
    const end = reader.read(event, 'dtend')
    const days = (end ? end.wallMs - first.wallMs : (readDurationMs(event) ?? DAY_MS)) / DAY_MS
    const lastMs = addDays(start.wallMs, Math.max(1, Math.ceil(days)))
    requireStorable({ from: new Date(start.wallMs).toISOString(), to: new Date(lastMs).toISOString() })
    return requireStorable(createAllDayTimes(toDate(start.wallMs), toDate(lastMs), calendar.zone))
  }
  const from = start.toInstant(start.wallMs)
  const lengthMs = readLengthMs(event, reader, first)
  const to = new Date(Date.parse(from) + Math.max(0, lengthMs)).toISOString().replace('Z', '000Z')
  requireStorable({ from, to })
  return createTimes(from, to)
}

function requireStorable<Times extends Period>(times: Times): Times {
  if (isStorable(times)) return times
  throw new UnreadableEntry('The entry is not within the years 1 to 9999.')
}

/** `original` is the original start of an occurrence. It is empty for the first one, and undefined if the entry is no series. */
function createEntry(
  event: ICAL.Component,
  { href, etag }: CalendarObject,
  times: EntryTimes,
  original?: string,
): CalendarEntry {
  const text = (name: string) => {
    const value: unknown = event.getFirstPropertyValue(name)
    return value === null || value === undefined ? '' : String(value)
  }
  const organizer = event.getFirstProperty('organizer')
  return {
    ...times,
    id: original ? `${href}#${original}` : href,
    seriesId: original === undefined ? null : href,
    uid: toStoredUid(text('uid') || href),
    version: etag,
    title: text('summary'),
    isPrivate:
      ['PRIVATE', 'CONFIDENTIAL'].includes(text('class').toUpperCase()) ||
      event.hasProperty(PRIVATE_PROPERTY),
    isFree: text('transp').toUpperCase() === 'TRANSPARENT',
    isCancelled: isCancelled(event),
    // A CalDAV calendar does not say which attendee it belongs to.
    isDeclined: false,
    organizer: organizer ? (toPerson(organizer, 'accepted') ?? null) : null,
    attendees: event.getAllProperties('attendee').flatMap((each) => toPerson(each) ?? []),
    // A copy that somebody made of an entry has the property, but another name. Later occurrences are not Berth's entry.
    key: !original && href.endsWith(`/${createObjectName(text(KEY_PROPERTY))}`) ? text(KEY_PROPERTY) : null,
  }
}

const isCancelled = (event: ICAL.Component) =>
  String(event.getFirstPropertyValue('status') ?? '').toUpperCase() === 'CANCELLED'

function toPerson(property: ICAL.Property, answer?: Answer): EntryPerson | undefined {
  const parameter = (name: string) => {
    const value: unknown = property.getParameter(name)
    return typeof value === 'string' ? value : ''
  }
  const [, address] = /^mailto:(.+)$/i.exec(String(property.getFirstValue() ?? '')) ?? []
  if (!address) return undefined
  return {
    address: decodeAddress(address),
    name: parameter('cn') || null,
    answer: answer ?? ANSWERS[parameter('partstat').toUpperCase()] ?? 'none',
    isRoom: ['ROOM', 'RESOURCE'].includes(parameter('cutype').toUpperCase()),
  }
}

function decodeAddress(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
