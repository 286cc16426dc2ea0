// Expands the names of many bookables: one per line, or a range such as “Desk 1…40”, “Desk 1-40” or
// “P-001…P-120”.
import { type Message, message } from '../messages/message.ts'
import { countCharacters } from '../utilities/texts.ts'

export const NAMES_MAX = 1_000
const NAME_LENGTH_MAX = 255
// Two names and the sign between them. The pattern below tries every pair of numbers: for a line of a hundred
// thousand characters that would take minutes.
const RANGE_LENGTH_MAX = 2 * NAME_LENGTH_MAX + 50

/** The names, or messages that say why there are none. */
type Expanded = { names: string[]; problems: Message[] }

// The prefix, the first number, the sign, optionally the prefix again, the last number.
const RANGE = /^(?<prefix>.*?)(?<first>\d{1,9})\s*(?:…|\.{2,3})\s*(?<again>.*?)(?<last>\d{1,9})$/u

export function expandNames(text: string): Expanded {
  const names: string[] = []
  const problems: Message[] = []
  for (const line of text.split(/\r\n|\r|\n/)) {
    const name = line.trim()
    if (name === '') continue
    const found = expandLine(name)
    if ('text' in found) problems.push(found)
    else if (names.length + found.length <= NAMES_MAX) names.push(...found)
    else return { names: [], problems: [...problems, message`These are more than ${NAMES_MAX} names.`] }
  }
  return problems.length > 0 ? { names: [], problems } : { names, problems }
}

// With a hyphen, only a line that can hardly be a name is a range: “Desk 4-12” is one; “HH-3-01”, “A1-12” and
// “Desk 7-3” are names.
const HYPHENED = /^(?<prefix>(?:\D*\s)?)(?<first>\d{1,9})\s*[-–]\s*(?<last>\d{1,9})$/u

// “Desk 3.1-3.10”: both ends repeat the floor.
const OF_FLOOR =
  /^(?<prefix>\D*?(?<floor>(?:\d{1,9}\.)+))(?<first>\d{1,9})\s*(?:[-–…]|\.{2,3})\s*\k<floor>(?<last>\d{1,9})$/u

function rangeOf(line: string): Record<string, string> | undefined {
  if (line.length > RANGE_LENGTH_MAX) return undefined
  const { prefix = '', first = '', last = '' } = HYPHENED.exec(line)?.groups ?? {}
  const isPadded = last.startsWith('0') && last.length > first.length
  if (Number(first) < Number(last) && !isPadded && !/[-–]/.test(prefix)) return { prefix, first, last }
  const ofFloor = OF_FLOOR.exec(line)?.groups
  if (ofFloor && Number(ofFloor['first']) < Number(ofFloor['last'])) return { ...ofFloor, again: '' }
  return RANGE.exec(line)?.groups
}

// A line with such a sign that is not a range is a name like any other.
function expandLine(line: string): string[] | Message {
  const { prefix = '', first, again = '', last } = rangeOf(line) ?? {}
  if (first === undefined || last === undefined || (again !== '' && again !== prefix)) return checked([line])
  const [from, to] = [Number(first), Number(last)]
  if (to < from) return message`“${line}” ends before it begins.`
  if (to - from >= NAMES_MAX) return message`“${line}” makes more than ${NAMES_MAX} names.`
  const digits = paddedTo(first, last)
  return checked(
    Array.from({ length: to - from + 1 }, (_, step) => prefix + String(from + step).padStart(digits, '0')),
  )
}

// “001…120” keeps its zeros, “1…40” has none.
function paddedTo(first: string, last: string): number {
  return Math.max(0, ...[first, last].filter((digits) => /^0\d/.test(digits)).map(({ length }) => length))
}

function checked(names: string[]): string[] | Message {
  const long = names.find((name) => countCharacters(name) > NAME_LENGTH_MAX)
  if (long === undefined) return names
  return message`“${[...long].slice(0, 40).join('')}…” is longer than ${NAME_LENGTH_MAX} characters.`
}
