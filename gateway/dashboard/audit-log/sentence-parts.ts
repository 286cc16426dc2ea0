// What the sentences of the audit log are put together from: things by their names, with links, and times of their place.
import { type Content, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { formatDayAndTime, formatTimeBeside } from '../time/instants.ts'
import type { Names } from './names.ts'
import { fieldsOf, pathOf } from './paths.ts'
import type { AuditEntry } from './queries.ts'

/** Where it is said: the zone counts where the thing has none of its own. */
export type Said = { call: Call; names: Names; zone: string }

/** An entry, and what its thing was before and after as fields; empty where there is none. */
export type Told = {
  said: Said
  entry: AuditEntry
  before: Record<string, unknown>
  after: Record<string, unknown>
}

const NOUNS: Record<string, string> = {
  users: 'person',
  groups: 'group',
  buildings: 'building',
  locations: 'location',
  bookables: 'desk or room',
  bookings: 'booking',
  events: 'event',
  series: 'series',
  tokens: 'token',
  calendars: 'calendar address',
  admins: 'administrator',
  webhooks: 'webhook',
}

/** What the entry is about: by the name that it has now, else by the one of then, else by its number; `verb` comes before it. */
export function showThing({ said, entry }: Told, verb = ''): Content {
  const { resource, resourceId, before, after, action } = entry
  const noun = Object.hasOwn(NOUNS, resource) ? NOUNS[resource] : resource
  if (resourceId === null) return noun
  const known = said.names.find(resource, resourceId)
  if (known && !action.endsWith('.delete')) return showNamed(said, resource, resourceId)
  const { name, email, url } = fieldsOf(after ?? before)
  for (const text of [name, email, url]) if (typeof text === 'string' && text !== '') return text
  return noun !== undefined && verb.endsWith(noun) ? resourceId : `${noun} ${resourceId}`
}

export function showNamed({ call, names }: Said, kind: string, id: unknown): Content {
  const known = names.find(kind, id)
  if (!known) return `${NOUNS[kind] ?? kind} ${String(id)}`
  const path = pathOf(kind)
  if (path === undefined || !known.isThere) return known.name
  return html`<a href="${call.link(`${path}${known.id}`)}">${known.name}</a>`
}

/** “Anna, Ben and Carl”; nothing where there is nobody. */
export function showAll(said: Said, kind: string, ids: unknown[]): Content {
  return ids.map((id, index) => {
    const before = index === 0 ? '' : index === ids.length - 1 ? ' and ' : ', '
    return html`${before}${showNamed(said, kind, id)}`
  })
}

const RANGE = /^[[(]"?([^",]+)"?,"?([^")]*)"?[)\]]$/

type Span = { from: string; to: string | undefined }

/** A range as Postgres writes it: ["2026-11-20 09:00:00+00","2026-11-20 10:00:00+00"). */
export function parseSpan(during: unknown): Span | undefined {
  const [, from = '', to = ''] = RANGE.exec(typeof during === 'string' ? during : '') ?? []
  const start = toInstant(from)
  return start === undefined ? undefined : { from: start, to: toInstant(to) }
}

export function formatSpan(during: unknown, zone: string): string {
  const span = parseSpan(during)
  if (!span) return 'at an unknown time'
  const end = span.to === undefined ? ', open-ended' : ` to ${formatTimeBeside(span.to, span.from, zone)}`
  return `${formatDayAndTime(span.from, zone)}${end}`
}

function toInstant(written: string): string | undefined {
  const date = new Date(written.replace(' ', 'T').replace(/([+-]\d{2})$/, '$1:00'))
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

export const numbersOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
