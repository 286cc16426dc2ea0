// Tests the calendar entry of a series with two libraries, which expand it: it has exactly the dates of the series, for
// any repetition and after any changes of single dates, including clock changes.
import { expect } from 'chai'
import fc from 'fast-check'
import { findOccurrences } from '../../../shared/series/occurrences.ts'
import { describeSeries, type SeriesDate } from '../../../shared/tokens/calendar-series.ts'
import { describeTimezone, type Property } from '../../../shared/tokens/calendar-timezones.ts'
import type { CalendarEntry } from '../../../shared/tokens/calendars-shape.ts'
import { createFeedFormat } from '../../../shared/tokens/series-entries.ts'
import { hasPython } from '../../gateway/api/rest/calendars/python-icalendar.ts'
import {
  type ShownEntry,
  showWithIcalJs,
  showWithPython,
} from '../../gateway/api/rest/calendars/shown-calendars.ts'

const UID = 'series-7@test.berth'
const DAY_MS = 24 * 3_600_000
const QUARTER_MS = 15 * 60_000
const HEAD: Property[] = [
  ['UID', UID],
  ['DTSTAMP', '20261101T090000Z'],
  ['SEQUENCE', '4'],
]

type Repeat = Parameters<typeof findOccurrences>[2]

const toText = (properties: readonly Property[]) => properties.map((each) => `${each.join(':')}\r\n`).join('')

function writeFile(repeat: Repeat, timezone: string, dates: SeriesDate[]): string {
  const times = dates.flatMap(({ occursAt, from, to }) => [occursAt, from, to]).sort()
  const zone = toText(describeTimezone(timezone, times[0] ?? '', times.at(-1) ?? ''))
  const events = describeSeries({ repeat, timezone }, dates, HEAD).map(
    (properties) => `BEGIN:VEVENT\r\n${toText(properties)}END:VEVENT\r\n`,
  )
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\n${zone}${events.join('')}END:VCALENDAR\r\n`
}

const instant = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')
const plans = (occursAt: string, from = occursAt, minutes = 60, name = 'Plans'): SeriesDate => ({
  occursAt,
  from,
  to: instant(Date.parse(from) + minutes * 60_000),
  content: [['SUMMARY', name]],
})
const shownOf = ({ from, to, content }: SeriesDate): ShownEntry => ({
  uid: UID,
  from: `${from.slice(0, 19)}.000Z`,
  to: `${to.slice(0, 19)}.000Z`,
  name: content[0]?.[1] ?? '',
  place: '',
})

function expectShown(repeat: Repeat, timezone: string, dates: SeriesDate[]): string {
  const file = writeFile(repeat, timezone, dates)
  const expected = dates.map(shownOf).sort((one, other) => (one.from < other.from ? -1 : 1))
  expect(showWithIcalJs([file]), `ical.js, ${file}`).to.deep.equal(expected)
  if (hasPython()) expect(showWithPython([file]), `python, ${file}`).to.deep.equal(expected)
  return file
}

const occurrences = (from: string, minutes: number, zone: string, repeat: Repeat): SeriesDate[] =>
  findOccurrences({ from, to: plans(from, from, minutes).to }, zone, repeat).map((span) => ({
    occursAt: span.from,
    ...span,
    content: [['SUMMARY', 'Plans']],
  }))

describe('the calendar entry of a series', function suite() {
  this.timeout(300_000)

  it('has exactly the dates of the series, in any time zone and across clock changes', () => {
    const scenes = fc.record({
      zone: fc.constantFrom(
        'Europe/Berlin',
        'europe/berlin',
        'America/New_York',
        'Australia/Lord_Howe',
        'Asia/Kolkata',
        'UTC',
      ),
      quarter: fc.oneof(fc.integer({ min: 0, max: 365 * 96 }), fc.integer({ min: 0, max: 40 })),
      minutes: fc.oneof(fc.constant(60), fc.integer({ min: 1, max: 3_000 })),
      every: fc.constantFrom('day' as const, 'week' as const),
      interval: fc.integer({ min: 1, max: 4 }),
      on: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      count: fc.integer({ min: 1, max: 30 }),
      edits: fc.array(
        fc.record({
          kind: fc.constantFrom('gone', 'moved', 'renamed', 'longer'),
          index: fc.nat(29),
          minutes: fc.integer({ min: -5_000, max: 5_000 }),
        }),
        { maxLength: 8 },
      ),
    })
    fc.assert(
      fc.property(scenes, ({ zone, quarter, minutes, every, interval, on, count, edits }) => {
        // Two of the ranges begin shortly before a clock change in Berlin.
        const from = instant(Date.UTC(2027, 2, 27, 20) + quarter * QUARTER_MS)
        const repeat = { every, interval, count, ...(every === 'week' && { on }) }
        const dates: Array<SeriesDate | undefined> = occurrences(from, minutes, zone, repeat)
        for (const edit of edits) {
          const date = dates[edit.index]
          if (!date) continue
          if (edit.kind === 'gone') dates[edit.index] = undefined
          else if (edit.kind === 'moved')
            dates[edit.index] = plans(
              date.occursAt,
              instant(Date.parse(date.from) + edit.minutes * 60_000),
              minutes,
            )
          else if (edit.kind === 'renamed')
            dates[edit.index] = { ...date, content: [['SUMMARY', `Plans ${edit.minutes}`]] }
          else dates[edit.index] = { ...date, to: instant(Date.parse(date.to) + 60_000) }
        }
        expectShown(
          repeat,
          zone,
          dates.filter((date) => date !== undefined),
        )
      }),
      { numRuns: process.env.TEST_LONG === undefined ? 40 : 1_000 },
    )
  })

  it('is a rule with excluded dates, and with separate components for dates that differ', () => {
    const repeat = { every: 'week' as const, interval: 1, count: 10 }
    const dates = occurrences('2027-03-01T09:00:00.000000Z', 60, 'Europe/Berlin', repeat)
    const moved = dates.map((date, index) =>
      index === 5 ? plans(date.occursAt, instant(Date.parse(date.from) + DAY_MS)) : date,
    )
    const file = expectShown(
      repeat,
      'Europe/Berlin',
      moved.filter((_date, index) => index !== 2),
    )
    expect(file).to.include('DTSTART;TZID=Europe/Berlin:20270301T100000')
    expect(file).to.include('RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20270503T080000Z')
    expect(file.match(/^EXDATE.*$/gm)).to.deep.equal(['EXDATE;TZID=Europe/Berlin:20270315T100000'])
    expect(file.match(/^RECURRENCE-ID.*$/gm)).to.deep.equal([
      'RECURRENCE-ID;TZID=Europe/Berlin:20270405T100000',
    ])
    expect(file.match(/^BEGIN:VEVENT/gm)).to.have.length(2)
  })

  it('keeps a rule if all dates move to another weekday, and lists the dates if no rule fits them', () => {
    const repeat = { every: 'week' as const, interval: 1, on: [1], count: 6 }
    const moveBy = (date: SeriesDate, days: number) => plans(instant(Date.parse(date.from) + days * DAY_MS))
    const dates = occurrences('2027-01-04T09:00:00.000000Z', 60, 'Europe/Berlin', repeat)
    expect(
      expectShown(
        repeat,
        'Europe/Berlin',
        dates.map((date) => moveBy(date, 1)),
      ),
    ).to.include('BYDAY=TU')
    const monthly = ['2027-01-31', '2027-03-31', '2027-05-31'].map((day) => plans(`${day}T09:00:00.000000Z`))
    expect(expectShown(repeat, 'Europe/Berlin', monthly))
      .to.include('RDATE')
      .and.not.include('RRULE')
  })

  it('lists the dates if the clocks skip or repeat the local time of a date', () => {
    const repeat = { every: 'day' as const, interval: 1, count: 4 }
    for (const day of ['2027-03-27T01:30', '2027-10-29T00:30']) {
      const dates = occurrences(`${day}:00.000000Z`, 60, 'Europe/Berlin', repeat)
      expect(expectShown(repeat, 'Europe/Berlin', dates))
        .to.include('RDATE')
        .and.not.include('RRULE')
    }
  })

  it('is the same in a feed that is written in batches, no matter where a batch begins', () => {
    const repeat = { every: 'day' as const, interval: 1, count: 4 }
    const createEntry = (
      id: number,
      from: string,
      series: number | null,
      cancelled = false,
    ): CalendarEntry => ({
      kind: 'event',
      id,
      sequence: id,
      cancelled,
      from,
      to: instant(Date.parse(from) + DAY_MS / 24),
      created_at: from,
      updated_at: from,
      bookables: [],
      is_room: false,
      place: null,
      person: null,
      guest: null,
      name: `Plans ${series}`,
      description: '',
      organizer: 'Ada',
      classification: null,
      occurs_at: series === null ? null : from,
      series:
        series === null ? null : { id: series, repeat, timezone: 'Europe/Berlin', sequence: 40 + series },
    })
    const at = (day: number) => instant(Date.UTC(2027, 2, 26 + day, 9))
    const entries = [
      createEntry(1, at(0), null),
      ...[0, 1, 2].map((day) => createEntry(10 + day, at(day), 1, day === 1)),
      ...[0, 1].map((day) => createEntry(20 + day, at(day), 2, true)),
      createEntry(30, at(3), 3),
    ]
    const write = (pieces: CalendarEntry[][]) => {
      const feed = createFeedFormat({ isOfUser: true, database: 'test' }, { from: at(0), to: at(9) })
      const joined = pieces.map((piece) => feed.format(piece.map((each) => JSON.stringify(each)).join(',')))
      return `${joined.join('')}${feed.end}`
    }
    const whole = write([entries])
    for (let cut = 0; cut <= entries.length; cut++)
      expect(write([entries.slice(0, cut), entries.slice(cut)])).to.equal(whole)
    expect(whole.match(/^BEGIN:VTIMEZONE/gm)).to.have.length(1)
    const shown = showWithIcalJs([`BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\n${whole}`])
    expect(shown.map(({ uid }) => uid)).to.deep.equal(
      ['event-1', 'series-1', 'series-1', 'series-3'].map((uid) => `${uid}@test.berth`),
    )
    expect(whole.match(/^SEQUENCE:.*\d/gm)).to.deep.equal([
      'SEQUENCE:1',
      'SEQUENCE:41',
      'SEQUENCE:42',
      'SEQUENCE:43',
    ])
  })
})
