// The things that entries of the audit log mention: their current names, with links, and their recorded fields and
// times.
import type pg from 'pg'
import { html } from '../../../html/html.ts'
import { JOIN_PLACES } from '../../../reads/rows/rows.ts'
import { type Sentence, type SentencePart, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatDayAndTime, formatTimeBeside } from '../../pages/time/instants.ts'
import { showLinkOrText } from '../../pages/ui/parts.ts'
import type { AuditEntry } from './queries.ts'

type ThingKind = {
  noun: Sentence
  /** The beginning of the path of a thing's page. */
  path?: string
  /** The columns that name the thing. The first one is shown. */
  names?: string[]
}

export const THING_KINDS: Readonly<Record<string, ThingKind>> = {
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
  team_days: { noun: sentence`team day` },
  tokens: { noun: sentence`token`, names: ['name'] },
  calendars: { noun: sentence`calendar address` },
  desk_codes: { noun: sentence`QR code` },
  admins: { noun: sentence`administrator`, names: ['email'] },
  visitors: { noun: sentence`visitor` },
  absences: { noun: sentence`absence` },
  loans: { noun: sentence`loan` },
  waits: { noun: sentence`waitlist entry` },
  webhooks: { noun: sentence`webhook`, path: '/integrations/webhooks/', names: ['url'] },
}

/** The resource that the ids in a field refer to. Some fields contain a list of ids. */
const REFERENCE_FIELDS: Record<string, string> = {
  bookable_id: 'bookables',
  offered_bookable_id: 'bookables',
  user_id: 'users',
  organizer_user_id: 'users',
  booked_by_user_id: 'users',
  location_id: 'locations',
  building_id: 'buildings',
  event_id: 'events',
  booking_id: 'bookings',
  booking_user_id: 'users',
  assignees: 'users',
  bookables: 'bookables',
}

const getOwnProperty = <Value>(of: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined

export const findReferenceKind = (field: string) => getOwnProperty(REFERENCE_FIELDS, field)
/** Returns the beginning of the path of a thing's page, or undefined if its kind has no page. */
export const findThingPath = (kind: string) => getOwnProperty(THING_KINDS, kind)?.path

export const findThingNoun = (kind: string) =>
  translate(getOwnProperty(THING_KINDS, kind)?.noun ?? (kind as Sentence))

type NamedThing = { kind: string; id: number; name: string; zone: string | null; isThere: boolean }

export class ThingNames {
  readonly #known: Map<string, NamedThing>

  constructor(rows: NamedThing[]) {
    this.#known = new Map(rows.map((row) => [`${row.kind} ${row.id}`, row]))
  }

  find(kind: string, id: unknown): NamedThing | undefined {
    return this.#known.get(`${kind} ${String(id)}`)
  }
}

/** Finds the current names of everything that the entries mention, in one statement. */
export async function findNames(reads: pg.Pool, entries: AuditEntry[]): Promise<ThingNames> {
  const ids = new Map<string, Set<number>>()
  const note = (kind: string | undefined, id: unknown) => {
    if (kind === undefined || typeof id !== 'number' || !Number.isSafeInteger(id)) return
    ids.set(kind, (ids.get(kind) ?? new Set()).add(id))
  }
  for (const { resource, resourceId, before, after } of entries) {
    note(resource, resourceId)
    for (const row of [before, after].flatMap((each) => listRowAndParts(toAuditedFields(each))))
      for (const [field, value] of Object.entries(row))
        for (const id of [value].flat()) note(findReferenceKind(field), id)
  }
  const kinds = Object.entries(THING_KINDS).flatMap(([kind, { names: [name] = [] as string[] }]) =>
    name ? [{ kind, name }] : [],
  )
  const selects = kinds.map(({ kind, name }, index) => {
    const [zone, isThere, joins] = PLACES_OF_THINGS[kind] ?? ['NULL', 'true', '']
    return `SELECT '${kind}' AS kind, ${kind}.id, ${kind}.${name} AS name, ${zone} AS zone, ${isThere} AS "isThere"
      FROM ${kind} ${joins} WHERE ${kind}.id = ANY($${index + 1}::bigint[])`
  })
  const values = kinds.map(({ kind }) => [...(ids.get(kind) ?? [])])
  const { rows } = await reads.query<NamedThing>(selects.join(' UNION ALL '), values)
  return new ThingNames(rows)
}

const PLACES_OF_THINGS: Readonly<Record<string, [zone: string, isThere: string, joins: string]>> = {
  bookables: ['buildings.timezone', 'bookables.deleted_at IS NULL', JOIN_PLACES],
  locations: ['buildings.timezone', 'true', 'JOIN buildings ON buildings.id = locations.building_id'],
}

// Returns the row itself, and the attendees and rooms that an event's row contains.
const listRowAndParts = (row: AuditedFields): AuditedFields[] => [
  row,
  ...[row['attendees'], row['rooms']].flatMap(toList).map(toAuditedFields),
]

/** The context for showing entries. `zone` is the default for things that have no time zone. */
export type AuditContext = { call: Call; names: ThingNames; zone: string }

/** An entry, and the fields of the entry's thing before and after the write; empty if there were none. */
export type AuditArgs = {
  context: AuditContext
  entry: AuditEntry
  before: AuditedFields
  after: AuditedFields
}

export type AuditedFields = Record<string, unknown>

/** Returns the fields of a row. A value that is not an object counts as one field. */
export function toAuditedFields(row: unknown): AuditedFields {
  if (row === null || row === undefined) return {}
  return typeof row === 'object' && !Array.isArray(row) ? (row as AuditedFields) : { value: row }
}

export const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Shows the thing that the entry is about. Uses the thing's current name, or else its former name, or else
 * its number. */
export function showResource(args: AuditArgs): SentencePart {
  const { resource, resourceId } = args.entry
  return (
    findName(args) ??
    (resourceId === null ? findThingNoun(resource) : t`${findThingNoun(resource)} ${resourceId}`)
  )
}

/** Shows only the name of the thing. Used in sentences that already say what kind of thing it is. */
export const showName = (args: AuditArgs): SentencePart => findName(args) ?? args.entry.resourceId ?? '–'

function findName({ context, entry }: AuditArgs): SentencePart | undefined {
  const { resource, resourceId, before, after, action } = entry
  const known = context.names.find(resource, resourceId)
  if (known && !action.endsWith('.delete')) return showNameById(context, resource, resourceId)
  const { name, email, url } = toAuditedFields(after ?? before)
  return [name, email, url].filter((text) => typeof text === 'string').find((text) => text !== '')
}

export function showNameById({ call, names }: AuditContext, kind: string, id: unknown): SentencePart {
  const known = names.find(kind, id)
  if (!known) return t`${findThingNoun(kind)} ${String(id)}`
  const path = findThingPath(kind)
  if (path === undefined || !known.isThere) return known.name
  return showLinkOrText(call.link(`${path}${known.id}`), known.name)
}

/** Lists names, such as “Anna, Ben and Carl”. Requires at least one id. */
export function showAllNames(context: AuditContext, kind: string, ids: unknown[]): SentencePart {
  const shown = ids.map((id) => showNameById(context, kind, id))
  const last = shown.at(-1)
  if (last === undefined || shown.length === 1) return shown
  return tHtml`${shown.slice(0, -1).map((each, index) => html`${index > 0 && ', '}${each}`)} and ${last}`
}

const RANGE_PATTERN = /^[[(]"?([^",]+)"?,"?([^")]*)"?[)\]]$/

/** Parses a range as Postgres writes it: ["2026-11-20 09:00:00+00","2026-11-20 10:00:00+00"). */
export function parseSpan(during: unknown): { from: string; to: string | undefined } | undefined {
  const [, from = '', to = ''] = RANGE_PATTERN.exec(typeof during === 'string' ? during : '') ?? []
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
