// Expands the names of many bookables: one per line, or a range such as “Desk 1…40”, “Desk 1-40” or
// “P-001…P-120”.
import { type Message, message } from '../messages/message.ts'
import { countCharacters } from '../utilities/texts.ts'

export const NAMES_MAX = 1_000
const NAME_LENGTH_MAX = 255
// The limit on a line's length: two names and the separator. The pattern for ranges tries every pair of
// numbers, which would take minutes for a line of 100,000 characters.
const RANGE_LENGTH_MAX = 2 * NAME_LENGTH_MAX + 50

/** The expanded names, or messages that say why a line could not be expanded. */
type ExpandedNames = { names: string[]; problems: Message[] }

// Matches the prefix, the first number, the separator, optionally the prefix again, and the last number.
const RANGE_PATTERN = /^(?<prefix>.*?)(?<first>\d{1,9})\s*(?:…|\.{2,3})\s*(?<again>.*?)(?<last>\d{1,9})$/u

export function expandNames(text: string): ExpandedNames {
  const names: string[] = []
  const problems: Message[] = []
  for (const line of text.split(/\r\n|\r|\n/)) {
    const name = line.trim()
    if (name === '') continue
    const found = expandLine(name)
    if ('text' in found) problems.push(found)
    else if (names.length + found.length <= NAMES_MAX) names.push(...found)
    else return { names: [], problems: [...problems, message`The list has more than ${NAMES_MAX} names.`] }
  }
  return problems.length > 0 ? { names: [], problems } : { names, problems }
}

// A line with a hyphen counts as a range only if it is unlikely to be a name: “Desk 4-12” is a range;
// “HH-3-01”, “A1-12” and “Desk 7-3” are names.
const HYPHEN_RANGE_PATTERN = /^(?<prefix>(?:\D*\s)?)(?<first>\d{1,9})\s*[-–]\s*(?<last>\d{1,9})$/u

// Matches “Desk 3.1-3.10”, where both ends of the range repeat the floor.
const FLOOR_RANGE_PATTERN =
  /^(?<prefix>\D*?(?<floor>(?:\d{1,9}\.)+))(?<first>\d{1,9})\s*(?:[-–…]|\.{2,3})\s*\k<floor>(?<last>\d{1,9})$/u

function parseRange(line: string): Record<string, string> | undefined {
  if (line.length > RANGE_LENGTH_MAX) return undefined
  const { prefix = '', first = '', last = '' } = HYPHEN_RANGE_PATTERN.exec(line)?.groups ?? {}
  const isPadded = last.startsWith('0') && last.length > first.length
  if (Number(first) < Number(last) && !isPadded && !/[-–]/.test(prefix)) return { prefix, first, last }
  const ofFloor = FLOOR_RANGE_PATTERN.exec(line)?.groups
  if (ofFloor && Number(ofFloor['first']) < Number(ofFloor['last'])) return { ...ofFloor, again: '' }
  return RANGE_PATTERN.exec(line)?.groups
}

// Expands one line. A line that contains a separator but is not a range is a plain name.
function expandLine(line: string): string[] | Message {
  const { prefix = '', first, again = '', last } = parseRange(line) ?? {}
  if (first === undefined || last === undefined || (again !== '' && again !== prefix))
    return checkLengths([line])
  const [from, to] = [Number(first), Number(last)]
  if (to < from) return message`“${line}” ends before it begins.`
  if (to - from >= NAMES_MAX) return message`“${line}” produces more than ${NAMES_MAX} names.`
  const digits = findPaddedLength(first, last)
  return checkLengths(
    Array.from({ length: to - from + 1 }, (_, step) => prefix + String(from + step).padStart(digits, '0')),
  )
}

// Returns the number of digits to which numbers are padded with zeros. “001…120” keeps its zeros, and “1…40” has none.
function findPaddedLength(first: string, last: string): number {
  return Math.max(0, ...[first, last].filter((digits) => /^0\d/.test(digits)).map(({ length }) => length))
}

function checkLengths(names: string[]): string[] | Message {
  const long = names.find((name) => countCharacters(name) > NAME_LENGTH_MAX)
  if (long === undefined) return names
  return message`“${[...long].slice(0, 40).join('')}…” is longer than ${NAME_LENGTH_MAX} characters.`
}
