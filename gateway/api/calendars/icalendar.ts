// Writes iCalendar (RFC 5545): lines that are escaped, folded at 75 octets and ended by CRLF. Instants are in
// UTC: no entry recurs, so none needs a time zone, whose rules would get out of date.

const OCTETS_MAX = 75

export type Property = readonly [name: string, value: string]

/** Identifies the program that made the file. */
const PRODUCT = '-//Berth//Berth//EN'

/** The beginning of a file. The components follow, then END_CALENDAR. */
export function beginCalendar(name: string): string {
  return lines([
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', PRODUCT],
    ['CALSCALE', 'GREGORIAN'],
    // RFC 7986's property, and the one that most programs look for.
    ['NAME', escapeText(name)],
    ['X-WR-CALNAME', escapeText(name)],
    ['REFRESH-INTERVAL;VALUE=DURATION', 'PT15M'],
    ['X-PUBLISHED-TTL', 'PT15M'],
  ])
}

export const END_CALENDAR = lines([['END', 'VCALENDAR']])

export function component(name: string, properties: ReadonlyArray<Property | undefined>): string {
  const given = properties.filter((property) => property !== undefined)
  return lines([['BEGIN', name], ...given, ['END', name]])
}

/** Text in this format has no control characters except tabs and line breaks, which are written as \n. */
export function escapeText(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      .replace(/[\\;,]/g, '\\$&')
      .replaceAll('\n', '\\n')
  )
}

/** Drops fractions of a second, which the format does not have. */
export function formatInstant(instant: string): string {
  return `${instant.slice(0, 19).replace(/[-:]/g, '')}Z`
}

function lines(properties: readonly Property[]): string {
  return properties.map(([name, value]) => fold(`${name}:${value}`)).join('')
}

// A folded line continues after a space, which counts. Characters are not split.
function fold(line: string): string {
  if (line.length * 3 <= OCTETS_MAX) return `${line}\r\n`
  let folded = ''
  let octets = 0
  for (const character of line) {
    const length = Buffer.byteLength(character)
    if (octets + length > OCTETS_MAX) {
      folded += '\r\n '
      octets = 1
    }
    folded += character
    octets += length
  }
  return `${folded}\r\n`
}
