// Shows the things that sentences of the audit log mention, with links, and times in the time zone of their
// place.
import { html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { type Sentence, type SentencePart, sentence, t, tHtml, translate } from '../locales/translate.ts'
import { formatDayAndTime, formatTimeBeside } from '../time/instants.ts'
import { showLinkOrText } from '../ui/links.ts'
import type { Names } from './names.ts'
import { fieldsOf, pathOf } from './paths.ts'
import type { AuditEntry } from './queries.ts'

/** `zone` is used for things that have no time zone. */
export type AuditContext = { call: Call; names: Names; zone: string }

/** An entry, and its thing before and after as fields; empty if there was none. */
export type AuditArgs = {
  context: AuditContext
  entry: AuditEntry
  before: Row
  after: Row
}

export type Row = Record<string, unknown>

const NOUNS: Record<string, Sentence> = {
  users: sentence`person`,
  groups: sentence`group`,
  buildings: sentence`building`,
  locations: sentence`location`,
  bookables: sentence`desk or room`,
  bookings: sentence`booking`,
  events: sentence`event`,
  series: sentence`series`,
  tokens: sentence`token`,
  calendars: sentence`calendar address`,
  admins: sentence`administrator`,
  webhooks: sentence`webhook`,
}

function nounOf(kind: string): string {
  const known = Object.hasOwn(NOUNS, kind) ? NOUNS[kind] : undefined
  return known === undefined ? kind : translate(known)
}

/**
 * The thing that the entry is about: by its current name, else by its name at that time, else by its number.
 */
export function showThing(args: AuditArgs): SentencePart {
  const { resource, resourceId } = args.entry
  return findName(args) ?? (resourceId === null ? nounOf(resource) : t`${nounOf(resource)} ${resourceId}`)
}

/** The same for a sentence that already says what kind of thing it is. */
export function showName(args: AuditArgs): SentencePart {
  return findName(args) ?? args.entry.resourceId ?? '–'
}

function findName({ context, entry }: AuditArgs): SentencePart | undefined {
  const { resource, resourceId, before, after, action } = entry
  const known = context.names.find(resource, resourceId)
  if (known && !action.endsWith('.delete')) return showNamed(context, resource, resourceId)
  const { name, email, url } = fieldsOf(after ?? before)
  return [name, email, url].filter((text) => typeof text === 'string').find((text) => text !== '')
}

export function showNamed({ call, names }: AuditContext, kind: string, id: unknown): SentencePart {
  const known = names.find(kind, id)
  if (!known) return t`${nounOf(kind)} ${String(id)}`
  const path = pathOf(kind)
  if (path === undefined || !known.isThere) return known.name
  return showLinkOrText(call.link(`${path}${known.id}`), known.name)
}

/** “Anna, Ben and Carl”. At least one id. */
export function showAll(context: AuditContext, kind: string, ids: unknown[]): SentencePart {
  const shown = ids.map((id) => showNamed(context, kind, id))
  const last = shown.at(-1)
  if (last === undefined || shown.length === 1) return shown
  return tHtml`${shown.slice(0, -1).map((each, index) => html`${index > 0 && ', '}${each}`)} and ${last}`
}

const RANGE = /^[[(]"?([^",]+)"?,"?([^")]*)"?[)\]]$/

type Span = { from: string; to: string | undefined }

/** Parses a range as Postgres writes it: ["2026-11-20 09:00:00+00","2026-11-20 10:00:00+00"). */
export function parseSpan(during: unknown): Span | undefined {
  const [, from = '', to = ''] = RANGE.exec(typeof during === 'string' ? during : '') ?? []
  const start = toInstant(from)
  return start === undefined ? undefined : { from: start, to: toInstant(to) }
}

export function formatSpan(during: unknown, zone: string): string {
  const span = parseSpan(during)
  if (!span) return t`at an unknown time`
  const start = formatDayAndTime(span.from, zone)
  if (span.to === undefined) return t`${start}, open-ended`
  return t`${start} to ${formatTimeBeside(span.to, span.from, zone)}`
}

function toInstant(written: string): string | undefined {
  const date = new Date(written.replace(' ', 'T').replace(/([+-]\d{2})$/, '$1:00'))
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

export const numbersOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
