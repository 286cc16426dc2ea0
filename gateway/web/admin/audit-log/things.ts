// The things that entries of the audit log mention: their names now, with links, and their recorded fields and
// times.
import type pg from 'pg'
import { html } from '../../../html/html.ts'
import { JOIN_PLACES } from '../../../reads/rows/rows.ts'
import { type Sentence, type SentencePart, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatDayAndTime, formatTimeBeside } from '../../pages/time/instants.ts'
import { showLinkOrText } from '../../pages/ui/parts.ts'
import type { AuditEntry } from './queries.ts'

type Kind = {
  noun: Sentence
  /** The beginning of the path of its page. */
  path?: string
  /** The columns that name it; the first one is shown. */
  names?: string[]
}

export const KINDS: Readonly<Record<string, Kind>> = {
  users: { noun: sentence`person`, path: '/people/', names: ['name', 'email'] },
  people: { noun: sentence`person’s own settings`, path: '/people/' },
  groups: { noun: sentence`group`, names: ['name'] },
  buildings: { noun: sentence`building`, path: '/places/buildings/', names: ['name'] },
  locations: { noun: sentence`floor`, path: '/places/locations/', names: ['name'] },
  bookables: { noun: sentence`desk or room`, path: '/places/bookables/', names: ['name'] },
  bookings: { noun: sentence`booking`, path: '/bookings/' },
  booking_requests: { noun: sentence`booking request`, path: '/bookings/requests/' },
  events: { noun: sentence`meeting`, path: '/events/', names: ['name'] },
  screens: { noun: sentence`screen`, path: '/places/screens/', names: ['name'] },
  series: { noun: sentence`series` },
  tokens: { noun: sentence`token`, names: ['name'] },
  calendars: { noun: sentence`calendar address` },
  desk_codes: { noun: sentence`QR code` },
  admins: { noun: sentence`administrator`, names: ['email'] },
  visitors: { noun: sentence`visitor` },
  waits: { noun: sentence`entry of the waitlist` },
  webhooks: { noun: sentence`webhook`, path: '/integrations/webhooks/', names: ['url'] },
}

/** The resource that the ids in a field refer to. Some fields contain a list of ids. */
const REFERENCES: Record<string, string> = {
  bookable_id: 'bookables',
  offered_bookable_id: 'bookables',
  user_id: 'users',
  organizer_user_id: 'users',
  location_id: 'locations',
  building_id: 'buildings',
  event_id: 'events',
  booking_id: 'bookings',
  booking_user_id: 'users',
  assignees: 'users',
  bookables: 'bookables',
}

const own = <Value>(of: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined

export const kindOf = (field: string) => own(REFERENCES, field)
/** Undefined if the kind has no page. */
export const pathOf = (kind: string) => own(KINDS, kind)?.path

export const nounOf = (kind: string) => translate(own(KINDS, kind)?.noun ?? (kind as Sentence))

type Named = { kind: string; id: number; name: string; zone: string | null; isThere: boolean }

export class Names {
  readonly #known: Map<string, Named>

  constructor(rows: Named[]) {
    this.#known = new Map(rows.map((row) => [`${row.kind} ${row.id}`, row]))
  }

  find(kind: string, id: unknown): Named | undefined {
    return this.#known.get(`${kind} ${String(id)}`)
  }
}

/** Finds the current names of everything that the entries mention, in one statement. */
export async function findNames(reads: pg.Pool, entries: AuditEntry[]): Promise<Names> {
  const ids = new Map<string, Set<number>>()
  const note = (kind: string | undefined, id: unknown) => {
    if (kind === undefined || typeof id !== 'number' || !Number.isSafeInteger(id)) return
    ids.set(kind, (ids.get(kind) ?? new Set()).add(id))
  }
  for (const { resource, resourceId, before, after } of entries) {
    note(resource, resourceId)
    for (const row of [before, after].flatMap((each) => withParts(fieldsOf(each))))
      for (const [field, value] of Object.entries(row))
        for (const id of [value].flat()) note(kindOf(field), id)
  }
  const kinds = Object.entries(KINDS).flatMap(([kind, { names: [name] = [] as string[] }]) =>
    name ? [{ kind, name }] : [],
  )
  const selects = kinds.map(({ kind, name }, index) => {
    const [zone, isThere, joins] = PLACES[kind] ?? ['NULL', 'true', '']
    return `SELECT '${kind}' AS kind, ${kind}.id, ${kind}.${name} AS name, ${zone} AS zone, ${isThere} AS "isThere"
      FROM ${kind} ${joins} WHERE ${kind}.id = ANY($${index + 1}::bigint[])`
  })
  const values = kinds.map(({ kind }) => [...(ids.get(kind) ?? [])])
  const { rows } = await reads.query<Named>(selects.join(' UNION ALL '), values)
  return new Names(rows)
}

const PLACES: Readonly<Record<string, [zone: string, isThere: string, joins: string]>> = {
  bookables: ['buildings.timezone', 'bookables.deleted_at IS NULL', JOIN_PLACES],
  locations: ['buildings.timezone', 'true', 'JOIN buildings ON buildings.id = locations.building_id'],
}

// The row of an event contains those of its attendees and rooms.
const withParts = (row: Row): Row[] => [
  row,
  ...[row['attendees'], row['rooms']].flatMap(listOf).map(fieldsOf),
]

/** `zone` is used for things that have no time zone. */
export type AuditContext = { call: Call; names: Names; zone: string }

/** An entry, and its thing before and after as fields; empty if there was none. */
export type AuditArgs = { context: AuditContext; entry: AuditEntry; before: Row; after: Row }

export type Row = Record<string, unknown>

/** A value that is not an object counts as one field. */
export function fieldsOf(row: unknown): Row {
  if (row === null || row === undefined) return {}
  return typeof row === 'object' && !Array.isArray(row) ? (row as Row) : { value: row }
}

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/**
 * The thing that the entry is about: by its current name, else by its name at that time, else by its number.
 */
export function showThing(args: AuditArgs): SentencePart {
  const { resource, resourceId } = args.entry
  return findName(args) ?? (resourceId === null ? nounOf(resource) : t`${nounOf(resource)} ${resourceId}`)
}

/** The same for a sentence that already says what kind of thing it is. */
export const showName = (args: AuditArgs): SentencePart => findName(args) ?? args.entry.resourceId ?? '–'

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

/** Parses a range as Postgres writes it: ["2026-11-20 09:00:00+00","2026-11-20 10:00:00+00"). */
export function parseSpan(during: unknown): { from: string; to: string | undefined } | undefined {
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
