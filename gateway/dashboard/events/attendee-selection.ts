// The people and rooms of an event while a user edits it: what the event already has, and, in the page's
// address, what was added and removed. This makes selecting by search work page after page without scripts
// and without storing anything.

import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { text } from '../../../shared/schemas/fields.ts'
import { isEmail, isPlainText } from '../../../shared/utilities/texts.ts'
import type { Content } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { showLink } from '../ui/links.ts'

export type Selection = { users: number[]; rooms: number[]; visitors: string[] }
type Kind = keyof Selection
export type SelectionQuery = { add?: string | undefined; drop?: string | undefined }

// Servers limit the length of an address. A user who adds more saves in between.
const ADDRESS_MAX = 4_000

export const selectionQuery = { add: text({ max: ADDRESS_MAX }), drop: text({ max: ADDRESS_MAX }) }

const KIND_PREFIXES: Record<Kind, string> = { users: 'u', rooms: 'r', visitors: 'v' }

export function selectionOf(base: Selection, { add, drop }: SelectionQuery): Selection {
  const [added, dropped] = [split(add), new Set(split(drop))]
  const merged = (kind: Kind) => {
    const codes = [
      ...base[kind].map((each) => encodeChoice(kind, each)),
      ...added.filter((code) => isOfKind(kind, code)),
    ]
    return [...new Set(codes)].filter((code) => !dropped.has(code)).map((code) => code.slice(1))
  }
  return {
    users: merged('users').map(Number),
    rooms: merged('rooms').map(Number),
    visitors: merged('visitors'),
  }
}

/** The address parameters after adding one, removing one, or swapping one for another. */
export function changed(query: SelectionQuery, { add, drop }: SelectionQuery): { add: string; drop: string } {
  const [added, dropped] = [new Set(split(query.add)), new Set(split(query.drop))]
  // What the event already has can only be in `dropped`, never in `added`.
  if (drop !== undefined && !added.delete(drop)) dropped.add(drop)
  if (add !== undefined && !dropped.delete(add)) added.add(add)
  return { add: [...added].join(), drop: [...dropped].join() }
}

type Linked = { code: string; name: string; id?: string }
type Choosing = Pick<Call<unknown, SelectionQuery>, 'linkHere' | 'query'>

/** A script handles these links without leaving the page. */
export function addLink(call: Choosing, { code, name, id }: Linked): Content {
  const address = call.linkHere(changed(call.query, { add: code }))
  return showLink(address, t`Add`, { id, 'data-add': code, 'data-name': name, 'aria-label': t`Add ${name}` })
}

export function removeLink(call: Choosing, { code, name, id }: Linked): Content {
  const address = call.linkHere(changed(call.query, { drop: code }))
  return showLink(address, t`Remove`, {
    id,
    'data-drop': code,
    'data-name': name,
    'aria-label': t`Remove ${name}`,
  })
}

export function attendeesOf({ users, rooms, visitors }: Selection): InputOf<'events.create'>['attendees'] {
  return [
    ...users.map((id) => ({ type: 'user' as const, id })),
    ...rooms.map((id) => ({ type: 'bookable' as const, id })),
    ...visitors.map((email) => ({ type: 'visitor' as const, email })),
  ]
}

export function encodeChoice(kind: Kind, chosen: number | string): string {
  return `${KIND_PREFIXES[kind]}${chosen}`
}

// Ignores anything else that a user writes into the address.
function split(codes: string | undefined): string[] {
  return (codes ?? '')
    .split(',')
    .filter((code) => isOfKind('users', code) || isOfKind('rooms', code) || isOfKind('visitors', code))
}

function isOfKind(kind: Kind, code: string): boolean {
  const rest = code.slice(1)
  if (!code.startsWith(KIND_PREFIXES[kind])) return false
  return kind === 'visitors' ? isEmail(rest) && isPlainText(rest) : /^[1-9]\d{0,14}$/.test(rest)
}
