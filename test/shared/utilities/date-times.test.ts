// Tests instants: all valid ISO forms of an instant are equal, microseconds are kept, and other texts are refused.
import { expect } from 'chai'
import fc from 'fast-check'
import { formatInstant, parseDateTime, unescapePlus } from '../../../shared/utilities/date-times.ts'

const FIRST_S = Date.parse('0001-01-01T00:00:00Z') / 1000
const LAST_S = Date.parse('9999-12-31T23:59:59Z') / 1000

const CANONICAL_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/

const padToTwoDigits = (number: number) => String(number).padStart(2, '0')
const formatSecond = (second: number) => new Date(second * 1000).toISOString().slice(0, 19)

const second = fc.integer({ min: FIRST_S, max: LAST_S })
const fraction = fc.stringMatching(/^[0-9]{0,9}$/)
const offset = fc
  .tuple(
    fc.constantFrom('+', '-'),
    fc.nat(23),
    fc.nat(59),
    fc.constantFrom('+hh:mm', '+hhmm', '+hh', 'Z', 'z', ''),
  )
  .map(([sign, hours, minutes, form]) => {
    if (!form.startsWith('+')) return { text: form, minutes: 0 }
    const total = form === '+hh' ? hours * 60 : hours * 60 + minutes
    const text = form
      .replace('+', sign)
      .replace('hh', padToTwoDigits(hours))
      .replace('mm', padToTwoDigits(minutes))
    return { text, minutes: sign === '-' ? -total : total }
  })

describe('parseDateTime', () => {
  it('parses every format of a date-time, to the microsecond', () => {
    const separator = fc.constantFrom('.', ',')
    const letter = fc.constantFrom('T', 't')
    fc.assert(
      fc.property(second, fraction, offset, separator, letter, (at, digits, { text, minutes }, point, t) => {
        const local = at + minutes * 60
        // Four digits can represent the years 0000 to 9999, whatever the year in UTC is.
        fc.pre(local >= FIRST_S - 366 * 86_400 && local <= LAST_S)
        const written = formatSecond(local).replace('T', t) + (digits ? point + digits : '') + text
        expect(parseDateTime(written), written).to.deep.equal({
          instant: `${formatSecond(at)}.${digits.slice(0, 6).padEnd(6, '0')}Z`,
          hasOffset: text !== '',
        })
      }),
      { numRuns: 1_000 },
    )
  })

  it('agrees with Date on every text that both can parse', () => {
    fc.assert(
      fc.property(
        second,
        fc.integer({ min: 0, max: 999 }),
        fc.integer({ min: -840, max: 840 }),
        (at, ms, minutes) => {
          const sign = minutes < 0 ? '-' : '+'
          const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
          const written = `${formatSecond(at)}.${String(ms).padStart(3, '0')}${sign}${padToTwoDigits(hours)}:${padToTwoDigits(rest)}`
          const expected = Date.parse(written)
          fc.pre(expected >= FIRST_S * 1000 && expected <= LAST_S * 1000)
          expect(Date.parse(parseDateTime(written)?.instant ?? '')).to.equal(expected)
        },
      ),
    )
  })

  it('accepts only dates and times that exist', () => {
    const part = fc.nat(99)
    const year = fc.oneof(fc.constantFrom(0, 1, 1900, 2000, 2024, 2100, 9999), fc.nat(9999))
    fc.assert(
      fc.property(year, fc.nat(13), fc.nat(32), part, part, part, (y, month, day, hour, minute, secondOf) => {
        const date = `${String(y).padStart(4, '0')}-${padToTwoDigits(month)}-${padToTwoDigits(day)}`
        const written = `${date}T${padToTwoDigits(hour)}:${padToTwoDigits(minute)}:${padToTwoDigits(secondOf)}`
        const exists =
          y >= 1 &&
          hour < 24 &&
          !Number.isNaN(Date.parse(`${written}Z`)) &&
          formatSecond(Date.parse(`${written}Z`) / 1000) === written
        expect(parseDateTime(written)?.instant, written).to.equal(exists ? `${written}.000000Z` : undefined)
      }),
      { numRuns: 2_000 },
    )
  })

  it('truncates fractions finer than a microsecond, without rounding', () => {
    const read = (text: string) => parseDateTime(text)?.instant
    expect(read('2026-11-20T09:00:00.1234567Z')).to.equal('2026-11-20T09:00:00.123456Z')
    expect(read('2026-12-31T23:59:59.999999999Z')).to.equal('2026-12-31T23:59:59.999999Z')
    expect(read('2026-11-20T09:00:00.000000999+00')).to.equal('2026-11-20T09:00:00.000000Z')
  })

  it('accepts times without seconds and without an offset', () => {
    expect(parseDateTime('2026-11-20T09:00')).to.deep.equal({
      instant: '2026-11-20T09:00:00.000000Z',
      hasOffset: false,
    })
    expect(parseDateTime('2026-11-20T09:00+01')).to.deep.equal({
      instant: '2026-11-20T08:00:00.000000Z',
      hasOffset: true,
    })
  })

  it('accepts the years 0001 to 9999 in UTC rather than in local time', () => {
    const read = (text: string) => parseDateTime(text)?.instant
    expect(read('0001-01-01T00:00:00Z')).to.equal('0001-01-01T00:00:00.000000Z')
    expect(read('0000-12-31T23:30:00-01:00')).to.equal('0001-01-01T00:30:00.000000Z')
    expect(read('0001-01-01T00:30:00+01:00')).to.equal(undefined)
    expect(read('9999-12-31T23:59:59.999999Z')).to.equal('9999-12-31T23:59:59.999999Z')
    expect(read('9999-12-31T23:30:00-01:00')).to.equal(undefined)
    expect(read('0000-06-01T00:00:00Z')).to.equal(undefined)
  })

  for (const text of [
    '',
    'now',
    '2026-11-20',
    '2026-11-20T',
    '2026-11-20 09:00:00Z',
    '2026-11-20T9:00:00Z',
    '2026-11-20T09Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T23:60:00Z',
    '2026-11-20T23:59:60Z',
    '2026-02-29T09:00:00Z',
    '2026-02-30T09:00:00Z',
    '2026-04-31T09:00:00Z',
    '2026-00-10T09:00:00Z',
    '2026-13-10T09:00:00Z',
    '2026-11-00T09:00:00Z',
    '20261120T090000Z',
    '2026-W47-5T09:00:00Z',
    '2026-324T09:00:00Z',
    '+002026-11-20T09:00:00Z',
    '-2026-11-20T09:00:00Z',
    '12026-11-20T09:00:00Z',
    '2026-11-20T09:00:00.Z',
    '2026-11-20T09:00:00.1234567890Z',
    '2026-11-20T09:00.5Z',
    '2026-11-20T09:00:00+24:00',
    '2026-11-20T09:00:00+01:60',
    '2026-11-20T09:00:00+1',
    '2026-11-20T09:00:00+01:0',
    '2026-11-20T09:00:00 01:00',
    '2026-11-20T09:00:00ZZ',
    '2026-11-20T09:00:00Z\n',
    ' 2026-11-20T09:00:00Z',
    '２０２６-11-20T09:00:00Z',
    '2026-11-20T09:00:00Europe/Berlin',
    '1763629200',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseDateTime(text)).to.equal(undefined)
    })
  }

  it('returns undefined or the canonical form for any input', () => {
    const almost = fc
      .tuple(second, fc.nat(24), fc.string({ maxLength: 3 }))
      .map(
        ([at, place, noise]) =>
          `${formatSecond(at)}Z`.slice(0, place) + noise + `${formatSecond(at)}Z`.slice(place),
      )
    fc.assert(
      fc.property(fc.oneof(fc.string(), almost), (text) => {
        const parsed = parseDateTime(text)
        if (parsed) expect(parsed.instant).to.match(CANONICAL_PATTERN)
      }),
    )
  })
})

describe('instants as text', () => {
  const instant = fc
    .tuple(second, fc.nat(999_999))
    .map(([at, micros]) => ({ at, micros, text: `${formatSecond(at)}.${String(micros).padStart(6, '0')}Z` }))

  it('stay unchanged when they are formatted and parsed again', () => {
    fc.assert(
      fc.property(instant, ({ text }) => {
        expect(parseDateTime(text)?.instant).to.equal(text)
      }),
    )
  })

  it('sort in chronological order', () => {
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        const order = Math.sign(a.at - b.at || a.micros - b.micros)
        expect(a.text < b.text ? -1 : a.text > b.text ? 1 : 0).to.equal(order)
      }),
    )
  })

  it('can be formatted from any millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: FIRST_S * 1000, max: LAST_S * 1000 }), (ms) => {
        expect(formatInstant(ms)).to.match(CANONICAL_PATTERN)
        expect(Date.parse(formatInstant(ms))).to.equal(ms)
      }),
    )
  })
})

describe('unescapePlus', () => {
  it('restores the plus sign of a time offset, and changes nothing else', () => {
    fc.assert(
      fc.property(second, offset, (at, { text }) => {
        const written = formatSecond(at) + text
        expect(unescapePlus(written.replace('+', ' '))).to.equal(written)
        expect(unescapePlus(written)).to.equal(written)
      }),
    )
    for (const text of ['2026-11-20 09:00:00', 'a b', ' 01:00', '2026-11-20T09:00  01:00', '']) {
      expect(parseDateTime(unescapePlus(text)), text).to.equal(undefined)
    }
  })
})
