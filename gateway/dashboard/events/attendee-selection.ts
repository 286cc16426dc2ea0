// Who and what an event shall have, while it is being chosen: what it has already, and in the page's address what was
// added and taken away. So it can be chosen by search, page after page, without scripts and without anything stored.
import { text } from '../../../shared/contracts/fields.ts'
import type { InputOf } from '../../../shared/jobs.ts'
import { isEmail, isPlainText } from '../../../shared/texts.ts'

export type Selection = { users: number[]; rooms: number[]; visitors: string[] }
type Kind = keyof Selection
type Chosen = number | string
type Query = { add?: string | undefined; drop?: string | undefined }

// An address has a length that servers take; who adds more saves in between.
const ADDRESS_MAX = 4_000

export const selectionQuery = { add: text({ max: ADDRESS_MAX }), drop: text({ max: ADDRESS_MAX }) }

const MARKS: Record<Kind, string> = { users: 'u', rooms: 'r', visitors: 'v' }

export function selectionOf(base: Selection, { add, drop }: Query): Selection {
  const [added, dropped] = [split(add), new Set(split(drop))]
  const merged = (kind: Kind) => {
    const marks = [
      ...base[kind].map((each) => formatMark(kind, each)),
      ...added.filter((mark) => isOfKind(kind, mark)),
    ]
    return [...new Set(marks)].filter((mark) => !dropped.has(mark)).map((mark) => mark.slice(1))
  }
  return {
    users: merged('users').map(Number),
    rooms: merged('rooms').map(Number),
    visitors: merged('visitors'),
  }
}

/** The parameters of an address at which it is chosen too. */
export function withAdded(query: Query, kind: Kind, chosen: Chosen): { add: string; drop: string } {
  const mark = formatMark(kind, chosen)
  const [added, dropped] = [split(query.add), split(query.drop)]
  if (dropped.includes(mark))
    return { add: added.join(), drop: dropped.filter((each) => each !== mark).join() }
  return { add: [...added, mark].join(), drop: dropped.join() }
}

export function withDropped(query: Query, kind: Kind, chosen: Chosen): { add: string; drop: string } {
  const mark = formatMark(kind, chosen)
  const [added, dropped] = [split(query.add), split(query.drop)]
  if (added.includes(mark)) return { add: added.filter((each) => each !== mark).join(), drop: dropped.join() }
  return { add: added.join(), drop: [...dropped, mark].join() }
}

export function attendeesOf({ users, rooms, visitors }: Selection): InputOf<'events.create'>['attendees'] {
  return [
    ...users.map((id) => ({ type: 'user' as const, id })),
    ...rooms.map((id) => ({ type: 'bookable' as const, id })),
    ...visitors.map((email) => ({ type: 'visitor' as const, email })),
  ]
}

function formatMark(kind: Kind, chosen: Chosen): string {
  return `${MARKS[kind]}${chosen}`
}

// Whatever else somebody writes into the address is nothing.
function split(marks: string | undefined): string[] {
  return (marks ?? '')
    .split(',')
    .filter((mark) => isOfKind('users', mark) || isOfKind('rooms', mark) || isOfKind('visitors', mark))
}

function isOfKind(kind: Kind, mark: string): boolean {
  const rest = mark.slice(1)
  if (!mark.startsWith(MARKS[kind])) return false
  return kind === 'visitors' ? isEmail(rest) && isPlainText(rest) : /^[1-9]\d{0,14}$/.test(rest)
}
