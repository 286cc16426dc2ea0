// Reads the objects that calendar programs write: time zones of every kind, repetitions and their exceptions. Repetitions
// are compared with those of Python's dateutil.
import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import fc from 'fast-check'
import { readEntries } from '../../../shared/room-calendars/providers/icalendar.ts'
import { UnreadableEntry } from '../../../shared/room-calendars/providers/recurrences.ts'
import { findZone, listWindowsZones } from '../../../shared/room-calendars/providers/windows-zones.ts'
import { getSeriesKey } from '../../../workers/jobs/room-calendars/entry-rows.ts'
import { createIcs, ZONE } from './provider-worlds.ts'

const PERIOD = { from: '2026-01-01T00:00:00Z', to: '2028-01-01T00:00:00Z' }
const CALENDAR = { id: '/berth/room/', zone: ZONE }

const read = (text: string, calendar = CALENDAR, period = PERIOD) =>
  readEntries({ href: '/berth/room/1.ics', etag: '"1"', text }, calendar, period)
const readEvents = (...events: string[][]) => read(createIcs(...events.map((lines) => ['UID:1', ...lines])))
const startsOf = (...events: string[][]) =>
  readEvents(...events)
    .map(({ from }) => from.slice(0, 16))
    .sort()

const CUSTOM_ZONE = `BEGIN:VTIMEZONE
TZID:Customized Time Zone
BEGIN:STANDARD
DTSTART:16010101T030000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
TZOFFSETFROM:+0330
TZOFFSETTO:+0230
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
TZOFFSETFROM:+0230
TZOFFSETTO:+0330
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT`.replaceAll('\n', '\r\n')

describe('objects of calendar programs', () => {
  it('have times in zones with IANA names, names of Windows, paths, and in no zone', () => {
    const startIn = (parameter: string) => startsOf([`DTSTART${parameter}:20261120T090000`])
    const berlin = ['2026-11-20T08:00']
    expect(startIn(';TZID=Europe/Berlin')).to.deep.equal(berlin)
    expect(startIn(';TZID=W. Europe Standard Time')).to.deep.equal(berlin)
    expect(startIn(';TZID="W. Europe Standard Time"')).to.deep.equal(berlin)
    expect(startIn(';TZID=/freeassociation.sourceforge.net/Europe/Berlin')).to.deep.equal(berlin)
    expect(startIn(';TZID=Tokyo Standard Time')).to.deep.equal(['2026-11-20T00:00'])
    // A floating time and an unknown zone are in the zone of the calendar.
    expect(startIn('')).to.deep.equal(berlin)
    expect(startIn(';TZID=Nowhere')).to.deep.equal(berlin)
  })

  it('have UIDs of a limited length, which still say which occurrences belong together', () => {
    const uidOf = (uid: string) => read(createIcs([`UID:${uid}`, 'DTSTART:20261120T090000Z']))[0]?.uid ?? ''
    expect(uidOf('x'.repeat(500))).to.have.length(500)
    const long = (date: string, end = '0') =>
      uidOf(`040000008200E00074C5B7101A82E008${date}${'0'.repeat(4_000)}${end}`)
    expect(long('07EA0B14')).to.have.length.below(200)
    expect(getSeriesKey(long('07EA0B14'))).to.equal(getSeriesKey(long('07EA0B15')))
    expect(long('07EA0B14')).not.to.equal(long('07EA0B14', '1'))
  })

  it('have times in a zone that only they describe', () => {
    const text = createIcs([
      'UID:1',
      'DTSTART;TZID=Customized Time Zone:20261020T090000',
      'RRULE:FREQ=WEEKLY;COUNT=2',
    ]).replace('BEGIN:VEVENT', CUSTOM_ZONE)
    expect(read(text).map(({ from }) => from.slice(0, 16))).to.deep.equal([
      '2026-10-20T05:30',
      '2026-10-27T06:30',
    ])
  })

  it('knows every name of Windows by a zone that this machine knows', () => {
    expect(listWindowsZones().size).to.be.above(130)
    for (const [windows, iana] of listWindowsZones())
      expect(() => new Intl.DateTimeFormat('en', { timeZone: iana }), windows).not.to.throw()
    expect(findZone('eastern standard time')).to.equal('America/New_York')
    for (const name of ['', '/', '+01:00', 'Nowhere/Nothing'])
      expect(findZone(name), name).to.equal(undefined)
  })

  it('end after their duration, at their end, or at once', () => {
    const lengthOf = (...lines: string[]) => {
      const [entry] = readEvents(['DTSTART;TZID=Europe/Berlin:20261120T090000', ...lines])
      return (Date.parse(entry?.to ?? '') - Date.parse(entry?.from ?? '')) / 60_000
    }
    expect(lengthOf('DURATION:PT45M')).to.equal(45)
    expect(lengthOf('DTEND;TZID=America/New_York:20261120T040000')).to.equal(60)
    expect(lengthOf()).to.equal(0)
    expect(lengthOf('DTEND:20261119T090000Z')).to.equal(0)
    const [day] = readEvents(['DTSTART;VALUE=DATE:20261120', 'DURATION:P2D'])
    expect(day?.allDay).to.deep.equal({ from: '2026-11-20', to: '2026-11-22', zone: ZONE })
  })

  it('repeat without excluded dates, with added ones, and with exceptions', () => {
    const master = [
      'DTSTART;TZID=Europe/Berlin:20261102T090000',
      'DTEND;TZID=Europe/Berlin:20261102T100000',
      'RRULE:FREQ=DAILY;COUNT=5',
      'EXDATE;TZID=Europe/Berlin:20261103T090000,20261104T090000',
      'EXDATE;VALUE=DATE:20261105',
      'RDATE;TZID=Europe/Berlin:20261210T120000',
      'SUMMARY:Daily',
    ]
    const moved = ['RECURRENCE-ID:20261106T080000Z', 'DTSTART:20261107T150000Z', 'DTEND:20261107T160000Z']
    expect(startsOf(master, moved)).to.deep.equal([
      '2026-11-02T08:00',
      '2026-11-07T15:00',
      '2026-12-10T11:00',
    ])
    const cancelled = [...moved, 'STATUS:CANCELLED']
    expect(startsOf(master, cancelled)).to.deep.equal(['2026-11-02T08:00', '2026-12-10T11:00'])
  })

  it('may be one occurrence of a series that the calendar does not have', () => {
    const entries = readEvents([
      'RECURRENCE-ID:20261106T080000Z',
      'DTSTART:20261107T150000Z',
      'SUMMARY:Guest',
    ])
    expect(entries.map(({ id, seriesId, title }) => [id, seriesId, title])).to.deep.equal([
      ['/berth/room/1.ics#20261106T080000Z', '/berth/room/1.ics', 'Guest'],
    ])
  })

  it('repeat until a moment, a local time or a whole day', () => {
    const until = (text: string) =>
      startsOf(['DTSTART;TZID=Europe/Berlin:20261102T090000', `RRULE:FREQ=DAILY;UNTIL=${text}`]).length
    // 08:00 UTC is the start of the third day in Berlin.
    expect(until('20261104T080000Z')).to.equal(3)
    expect(until('20261104T075959Z')).to.equal(2)
    expect(until('20261104')).to.equal(3)
    expect(until('20261104T085959')).to.equal(2)
  })

  it('have entries within the period only, however old the series is', () => {
    const daily = createIcs(['UID:1', 'DTSTART;TZID=Europe/Berlin:20000103T090000', 'RRULE:FREQ=DAILY'])
    const period = { from: '2026-11-02T00:00:00Z', to: '2026-11-04T00:00:00Z' }
    expect(read(daily, CALENDAR, period).map(({ from }) => from.slice(0, 10))).to.deep.equal([
      '2026-11-02',
      '2026-11-03',
    ])
  })

  // ical.js never returns from some of these.
  it('end soon, whatever their rule says', () => {
    const rules = [
      'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
      'FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2',
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
      'FREQ=MONTHLY;BYDAY=5FR;BYMONTH=2;BYSETPOS=7',
      'FREQ=YEARLY;INTERVAL=99999999',
      'FREQ=MONTHLY;INTERVAL=99999999',
    ]
    const startedMs = performance.now()
    for (const rule of rules)
      expect(startsOf(['DTSTART:20260101T090000Z', `RRULE:${rule}`]), rule).to.have.length(1)
    expect(performance.now() - startedMs).to.be.below(20_000)
  })

  it('are unreadable, and not an error, where nobody can know their times', () => {
    const unreadable = [
      createIcs(['UID:1', 'DTSTART:20260101T090000Z', 'RRULE:FREQ=SECONDLY']),
      createIcs(['UID:1', 'DTSTART:20260101T090000Z', 'RRULE:FREQ=DAILY;BYHOUR=9,15']),
      createIcs(['UID:1', 'DTSTART:20260101T090000Z', 'RRULE:FREQ=NEVER']),
      ...['BYHOUR=10', 'BYMINUTE=30', 'BYSECOND=1'].map((part) =>
        createIcs(['UID:1', 'DTSTART;TZID=Europe/Berlin:20260101T090000', `RRULE:FREQ=DAILY;${part}`]),
      ),
      createIcs(['UID:1', 'DTSTART:20260101T090000Z', 'RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY']),
      ...['PT2H', '20260108T120000Z'].map((end) =>
        createIcs([
          'UID:1',
          'DTSTART:20260101T090000Z',
          'DTEND:20260101T100000Z',
          `RDATE;VALUE=PERIOD:20260108T090000Z/${end}`,
        ]),
      ),
      createIcs(
        ['UID:1', 'DTSTART:20260101T090000Z', 'RRULE:FREQ=DAILY'],
        ['UID:1', 'RECURRENCE-ID;RANGE=THISANDFUTURE:20260105T090000Z', 'DTSTART:20260105T150000Z'],
      ),
      createIcs(['UID:1', 'SUMMARY:No start']),
      createIcs(['UID:1', 'DTSTART:00010101T090000Z', 'RRULE:FREQ=DAILY']),
      createIcs(['UID:1', 'DTSTART:00010101T000000', 'DTEND:20270101T000000Z']),
      createIcs(['UID:1', 'DTSTART;VALUE=DATE:00010101', 'DTEND;VALUE=DATE:20270101']),
      createIcs(['UID:1', 'DTSTART:00001231T100000Z', 'DTEND:20270101T000000Z']),
      createIcs(['UID:1', 'DTSTART:20260101T090000Z', 'DURATION:P9999999D']),
      createIcs(['UID:1', 'DTSTART:20260101T090000Z', ...Array(5).fill('RRULE:FREQ=DAILY')]),
      'BEGIN:VCALENDAR',
      'Hello',
      '',
      createIcs(['UID:1', `SUMMARY:${'x'.repeat(1_000_001)}`]),
    ]
    for (const text of unreadable) expect(() => read(text), text.slice(0, 200)).to.throw(UnreadableEntry)
  })

  it('may repeat the time of day and the length of their start', () => {
    const rule = 'RRULE:FREQ=DAILY;COUNT=2;BYHOUR=9;BYMINUTE=0;BYSECOND=0'
    const berlin = ['2026-01-05T08:00', '2026-01-06T08:00']
    expect(startsOf(['DTSTART;TZID=Europe/Berlin:20260105T090000', rule])).to.deep.equal(berlin)
    const times = ['DTSTART;TZID=Europe/Berlin:20260105T090000', 'DTEND;TZID=Europe/Berlin:20260105T100000']
    for (const end of ['PT1H', '20260106T100000'])
      expect(
        startsOf([...times, `RDATE;TZID=Europe/Berlin;VALUE=PERIOD:20260106T090000/${end}`]),
      ).to.deep.equal(berlin)
    // RFC 5545 requires programs to ignore times of day in rules of whole days.
    const days = ['2026-01-04T23:00', '2026-01-05T23:00']
    expect(startsOf(['DTSTART;VALUE=DATE:20260105', rule])).to.deep.equal(days)
  })

  it('reveal nothing of their content in the error if they cannot be read', () => {
    const secret = 'Layoff of Anna Example'
    const valid = ['UID:1', 'DTSTART:20260101T090000Z']
    const broken = [
      createIcs([...valid, secret]),
      createIcs([...valid, `RRULE:FREQ=${secret}`]),
      createIcs([...valid, `RRULE:FREQ=DAILY;COUNT=${secret}`]),
      createIcs([...valid, `DTEND:${secret}`]),
      createIcs(['UID:1', `DTSTART:${secret}`]),
      createIcs([...valid, `DURATION:${secret}`]),
      `${secret}\r\n${createIcs(valid)}`,
      createIcs([...valid, `SUMMARY;${secret}`]),
    ]
    let failures = 0
    for (const text of broken)
      try {
        read(text)
      } catch (error) {
        failures++
        expect(String(error)).not.to.match(/layoff|anna/i)
      }
    expect(failures).to.be.above(4)
  })

  it('never break the reader, however they are damaged', () => {
    const whole = createIcs([
      'UID:1',
      'DTSTART;TZID=Europe/Berlin:20261102T090000',
      'DURATION:PT1H',
      'RRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20271231T000000Z',
      'EXDATE:20261127T080000Z',
      'ATTENDEE;CN="A";PARTSTAT=DECLINED:mailto:a%@b.c',
    ])
    const damage = fc.tuple(fc.nat(whole.length), fc.nat(20), fc.string({ maxLength: 10 }))
    fc.assert(
      fc.property(damage, ([start, length, text]) => {
        try {
          read(whole.slice(0, start) + text + whole.slice(start + length))
        } catch (error) {
          expect(error).to.be.instanceOf(UnreadableEntry)
        }
      }),
      { numRuns: 150 },
    )
  })
})

const hasDateutil = () => spawnSync('/usr/bin/python3', ['-c', 'import dateutil.rrule']).status === 0

/** Returns the dates that dateutil gives to rules, until the end of the period. */
function expandWithDateutil(rules: Array<{ start: string; rule: string }>): string[][] {
  const program = `
import json, sys
from datetime import datetime
from dateutil.rrule import rrulestr
for line in json.load(sys.stdin):
    rule = rrulestr(line['rule'], dtstart=datetime.strptime(line['start'], '%Y%m%dT%H%M%S'))
    dates = rule.between(datetime(2026, 1, 1), datetime(2027, 12, 31, 23), inc=True)
    print(json.dumps([each.strftime('%Y-%m-%dT%H:%M') for each in dates]))
`
  const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', program], {
    input: JSON.stringify(rules),
    encoding: 'utf8',
  })
  const lines = stdout.trim().split('\n')
  expect(lines, stderr).to.have.length(rules.length)
  return lines.map((line) => JSON.parse(line))
}

function describeWithDateutil(title: string, suite: () => void) {
  return hasDateutil() ? describe(title, suite) : xdescribe(`${title} (there is no python3-dateutil)`, suite)
}

describeWithDateutil('repetitions', () => {
  it('have the dates that dateutil gives them', () => {
    const some = (values: (string | number)[], maxLength = 3) =>
      fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength }).map((each) => each.join(','))
    const days = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
    // dateutil does not understand lists that mix days with and without a number.
    const nthDays = fc.oneof(
      some(days),
      some(days.flatMap((day) => [`1${day}`, `2${day}`, `-1${day}`, `5${day}`])),
    )
    const months = some([1, 2, 3, 6, 10, 12])
    const monthDays = some([1, 15, 28, 30, 31, -1, -2])
    const optional = (name: string, values: fc.Arbitrary<string>) =>
      fc.option(values, { nil: '' }).map((value) => (value ? `;${name}=${value}` : ''))
    const parts = {
      DAILY: [optional('BYMONTH', months), optional('BYDAY', some(days)), optional('BYMONTHDAY', monthDays)],
      WEEKLY: [optional('BYDAY', some(days)), optional('BYMONTH', months), optional('WKST', some(days, 1))],
      MONTHLY: [
        optional('BYDAY', nthDays),
        optional('BYMONTHDAY', monthDays),
        optional('BYMONTH', months),
        optional('BYSETPOS', some([1, 2, -1])),
      ],
      YEARLY: [optional('BYMONTH', months), optional('BYDAY', nthDays), optional('BYMONTHDAY', monthDays)],
    }
    const weeks = fc
      .tuple(some([1, 2, 20, 52, 53, -1]), some(days))
      .map(([numbers, weekdays]) => `FREQ=YEARLY;BYWEEKNO=${numbers};BYDAY=${weekdays}`)
    const yearDays = some([1, 60, 100, 366, -1, -366]).map((each) => `FREQ=YEARLY;BYYEARDAY=${each}`)
    const usual = fc
      .constantFrom(...(Object.keys(parts) as Array<keyof typeof parts>))
      .chain((every) =>
        fc
          .tuple(fc.integer({ min: 1, max: 4 }), fc.option(fc.integer({ min: 1, max: 30 })), ...parts[every])
          .map(
            ([interval, count, ...rest]) =>
              `FREQ=${every};INTERVAL=${interval}${count ? `;COUNT=${count}` : ''}${rest.join('')}`,
          ),
      )
    const start = fc
      .tuple(fc.constantFrom(2023, 2024, 2025, 2026), fc.nat(365))
      .map(([year, day]) => new Date(Date.UTC(year, 0, 1 + day, 9)).toISOString())
      .map((text) => text.slice(0, 19).replaceAll(/[-:]/g, ''))
    const samples = fc
      .sample(fc.record({ start, rule: fc.oneof({ weight: 6, arbitrary: usual }, weeks, yearDays) }), 200)
      // BYSETPOS needs another part to choose from.
      .filter(({ rule }) => !rule.includes('BYSETPOS') || /BYDAY|BYMONTHDAY/.test(rule))
    const expected = expandWithDateutil(samples)
    samples.forEach((sample, index) => {
      const found = startsOf([`DTSTART:${sample.start}Z`, `RRULE:${sample.rule}`])
      const first = `${sample.start.slice(0, 4)}-${sample.start.slice(4, 6)}-${sample.start.slice(6, 8)}T09:00`
      // The first date belongs to a series even if the rule leaves it out (RFC 5545, 3.8.5.3). dateutil does not say so.
      const dates = new Set([...(expected[index] ?? []), ...(first >= '2026' ? [first] : [])])
      expect(found, JSON.stringify(sample)).to.deep.equal([...dates].sort())
    })
  })
})
