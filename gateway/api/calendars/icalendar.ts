// Writes iCalendar (RFC 5545): lines that are escaped, folded at 75 octets and ended by CRLF. Instants are written in UTC: what is
// in a calendar here happens once, so no zone has to say when it happens again, and no rules of zones get out of date in it.

const OCTETS_MAX = 75

export type Property = readonly [name: string, value: string]

/** What the program is called that made the file. */
const PRODUCT = '-//Berth//Berth//EN'

/** The beginning of a file; the components follow, and then END. */
export function beginCalendar(name: string): string {
  return lines([
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', PRODUCT],
    ['CALSCALE', 'GREGORIAN'],
    // The one of RFC 7986, and the one that most programs look for.
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

/** Control characters are in no text of this format, apart from line breaks, which are written as \n, and tabs. */
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

/** From an instant with fractions of a second, which this format does not have. */
export function formatInstant(instant: string): string {
  return `${instant.slice(0, 19).replace(/[-:]/g, '')}Z`
}

function lines(properties: readonly Property[]): string {
  return properties.map(([name, value]) => fold(`${name}:${value}`)).join('')
}

// A line goes on in the next one behind a space, which counts. Characters stay whole.
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
