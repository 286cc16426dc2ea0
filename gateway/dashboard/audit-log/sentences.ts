// What an entry of the audit log says, as a sentence: what was done to what, by their names, and only what has changed.
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { formatDayAndTime, formatTimeBeside } from '../time/instants.ts'
import { showChanges } from './differences.ts'
import type { Names } from './names.ts'
import { fieldsOf, pathOf } from './paths.ts'
import type { AuditEntry } from './queries.ts'

/** Where it is said: the zone counts where the thing has none of its own. */
export type Said = { call: Call; names: Names; zone: string }

const NOUNS: Record<string, string> = {
  users: 'person',
  groups: 'group',
  buildings: 'building',
  locations: 'location',
  bookables: 'bookable',
  bookings: 'booking',
  events: 'event',
  tokens: 'token',
  admins: 'administrator',
}

const VERBS: Record<string, string> = {
  create: 'added',
  invite: 'invited',
  delete: 'deleted',
  update: 'changed',
  edit: 'changed',
  replace: 'changed',
  cancel: 'cancelled',
  release: 'released',
  deactivate: 'deactivated',
  restore: 'restored',
  erase: 'erased',
  import: 'imported',
  revoke: 'revoked',
  disable: 'disabled',
  enable: 'enabled',
  assign: 'assigned',
  unassign: 'ended an assignment of',
  'unassign-all': 'ended the assignment of',
  'set-position': 'moved on the floor plan',
  'set-floor-plan': 'changed the floor plan of',
  'set-rules': 'changed the rules of',
  'set-role': 'changed the role of',
  'reset-password': 'changed the password of',
  'create-link': 'created a link to a new password for',
}

/** Without its end, and without who did it, who stands beside it. */
export function showSentence(said: Said, entry: AuditEntry): Html {
  const verb = entry.action.slice(entry.action.indexOf('.') + 1)
  if (entry.resource === 'bookings' && fieldsOf(entry.after ?? entry.before)['bookable_id'] !== undefined)
    return showBooking(said, entry, verb)
  const what = showThing(said, entry)
  const changes = showChanges(said.names, entry)
  return html`${VERBS[verb] ?? verb} ${what}${changes && html`: ${changes}`}`
}

function showBooking(said: Said, entry: AuditEntry, verb: string): Html {
  const row = fieldsOf(entry.after ?? entry.before)
  const bookable = showNamed(said, 'bookables', row['bookable_id'])
  const user = showNamed(said, 'users', row['user_id'])
  const zone = said.names.find('bookables', row['bookable_id'])?.zone ?? said.zone
  const [was, is] = [entry.before, entry.after].map((each) => formatSpan(fieldsOf(each)['during'], zone))
  if (verb.startsWith('create')) return html`booked ${bookable} for ${user}, ${is}`
  if (entry.after === null || entry.after === undefined) {
    const done = verb === 'delete' ? 'cancelled' : (VERBS[verb] ?? verb)
    return html`${done} the booking of ${bookable} for ${user}, ${was}`
  }
  const others = showChanges(said.names, entry, ['during'])
  const moved = was !== is && html` from ${was} to ${is}`
  return html`${moved ? 'moved' : 'changed'} the booking of ${bookable} for ${user}${moved}${others && html`: ${others}`}`
}

function showThing(said: Said, { resource, resourceId, before, after, action }: AuditEntry): Content {
  const noun = NOUNS[resource] ?? resource
  if (resourceId === null) return noun
  const known = said.names.find(resource, resourceId)
  if (known && !action.endsWith('.delete')) return showNamed(said, resource, resourceId)
  const { name, email } = fieldsOf(after ?? before)
  return typeof name === 'string' ? name : typeof email === 'string' ? email : `${noun} ${resourceId}`
}

function showNamed({ call, names }: Said, kind: string, id: unknown): Content {
  const known = names.find(kind, id)
  if (!known) return `${NOUNS[kind] ?? kind} ${String(id)}`
  const path = pathOf(kind)
  if (path === undefined || !known.isThere) return known.name
  return html`<a href="${call.link(`${path}${known.id}`)}">${known.name}</a>`
}

const RANGE = /^[[(]"?([^",]+)"?,"?([^")]*)"?[)\]]$/

// As Postgres writes a range: ["2026-11-20 09:00:00+00","2026-11-20 10:00:00+00").
function formatSpan(during: unknown, zone: string): string {
  const [, from = '', to = ''] = RANGE.exec(typeof during === 'string' ? during : '') ?? []
  const start = toInstant(from)
  if (start === undefined) return 'at an unknown time'
  const end = toInstant(to)
  const until = end === undefined ? ', open-ended' : ` to ${formatTimeBeside(end, start, zone)}`
  return `${formatDayAndTime(start, zone)}${until}`
}

function toInstant(written: string): string | undefined {
  const date = new Date(written.replace(' ', 'T').replace(/([+-]\d{2})$/, '$1:00'))
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
