// Reads the audit log entries of one write, and checks whether the bookings and places in them are still in
// the state in which the write left them.
import { actorNameSql, getActorRole } from '../../../shared/audit/actors.ts'
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { entriesOfWriteSql } from '../../../shared/undo/one-write.ts'
import type { Write } from '../../runtime/write.ts'

export type UndoRow = Readonly<Record<string, unknown>>

export type UndoEntry = {
  id: number
  attempt: string | null
  action: string
  resource:
    | 'absences'
    | 'bookables'
    | 'booking_requests'
    | 'bookings'
    | 'buildings'
    | 'events'
    | 'loans'
    | 'locations'
    | 'series'
    | 'team_days'
  /** The id of the absence, booking, request, event, loan, place or series that the entry is about. */
  thing: number
  before: UndoRow | null
  after: UndoRow | null
  /** The start of a booking or an event before the write. */
  from: string
  to: string | null
}

const FORMER_TIME_SQL = "CAST(audit_log.before ->> 'during' AS tstzrange)"

/** Returns the entries of a write, newest first. */
export function listEntries(write: Write, id: number): Promise<UndoEntry[]> {
  return write.all(
    `SELECT audit_log.id, audit_log.attempt, audit_log.action, audit_log.resource, audit_log.resource_id AS thing,
       audit_log.before, audit_log.after,
       ${timestampText(`lower(${FORMER_TIME_SQL})`)} AS "from", ${timestampText(`upper(${FORMER_TIME_SQL})`)} AS "to"
     FROM ${entriesOfWriteSql('?')} ORDER BY audit_log.id DESC`,
    [id],
  )
}

// The columns of a booking that are compared. Check-in columns are not compared, because a later check-in does not
// matter.
const COMPARED_COLUMNS = [
  'bookable_id',
  'user_id',
  'during',
  'vehicle_id',
  'license_plate',
  'released_at',
  'guest_name',
  'guest_email',
  'booking_info',
]
const comparedColumnsSql = (table: string) =>
  `ROW (${COMPARED_COLUMNS.map((column) => `${table}.${column}`).join(', ')})`
// The columns that are not compared, because they are derived from others or record when the write happened.
const IGNORED_COLUMNS = ['updated_at', 'created_at', 'position_changed_at']

/**
 * Refuses if anything has changed since the write, with a message about who changed it, or if the write has already
 * been undone.
 */
export async function refuseChangedEntries(write: Write, entries: UndoEntry[]): Promise<void> {
  const [first] = await write.all<{ id: number }>(
    `SELECT entries.id FROM audit_log AS entries
     LEFT JOIN bookings ON entries.resource = 'bookings' AND bookings.id = entries.resource_id
     LEFT JOIN LATERAL jsonb_populate_record(NULL::bookings, entries.after) AS was ON true
     WHERE entries.id = ANY(?::bigint[]) AND entries.resource = 'bookings' AND CASE
       WHEN entries.after IS NULL THEN bookings.id IS NOT NULL
       ELSE bookings.id IS NULL OR ${comparedColumnsSql('bookings')} IS DISTINCT FROM ${comparedColumnsSql('was')} END
     ORDER BY entries.id LIMIT 1`,
    [entries.map(({ id }) => id)],
  )
  const changed = entries.find(({ id }) => id === first?.id)
  if (changed) throw await createChangedSinceRefusal(write, changed)
}

/** Returns the fields that the entry changed, with their previous values. */
export function getFormerFields({ before, after }: UndoEntry): UndoRow {
  const names = Object.keys(before ?? {}).filter(
    (name) =>
      !IGNORED_COLUMNS.includes(name) && JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  )
  return Object.fromEntries(names.map((name) => [name, before?.[name] ?? null]))
}

/** Returns whether these fields still have the values that the entry recorded. */
export const isUnchanged = ({ after }: UndoEntry, present: UndoRow, names: string[]): boolean =>
  names.every((name) => JSON.stringify(present[name]) === JSON.stringify(after?.[name]))

/** Returns whether the entry is complete. Erasing a person removes values from entries. */
export function isCompleteEntry({ action, resource, before, after }: UndoEntry): boolean {
  if (resource === 'series') return true
  // A reinstated event is cancelled again on its own page.
  if (resource === 'events')
    return isCompleteEvent(after) && (before === null || (isCompleteEvent(before) && isConfirmed(before)))
  if (resource === 'loans' || resource === 'absences')
    return typeof (before ?? after)?.['user_id'] === 'number'
  if (resource === 'team_days') return true
  if (resource !== 'bookings') return before !== null
  const isKnown = (row: UndoRow | null) =>
    typeof row?.['bookable_id'] === 'number' && typeof row['user_id'] === 'number'
  if (action === 'bookings.create') return isKnown(after)
  return isKnown(before) && (isKnown(after) || (after === null && action !== 'bookings.update'))
}

const isConfirmed = ({ status }: UndoRow) => status === EVENT_STATUSES.confirmed

function isCompleteEvent(row: UndoRow | null): boolean {
  const attendees = (row?.['attendees'] ?? []) as Array<{ user_id: unknown; email: unknown }>
  const isKnown = typeof row?.['organizer_user_id'] === 'number' && typeof row['name'] === 'string'
  return isKnown && attendees.every(({ user_id, email }) => (user_id ?? email ?? null) !== null)
}

export const createUndoRefusal = () =>
  new Refusal(
    'in_use',
    message`This change includes something that cannot be undone here. Nothing was undone.`,
  )

export const createSeveralWritesRefusal = () =>
  new Refusal(
    'in_use',
    message`This change cannot be undone: it was made before Berth started to record which changes belong together.`,
  )

type LaterChange = {
  type: string
  actor: number
  name: string
  at: string
  zone: string | null
  isUndoing: boolean
}

export async function createChangedSinceRefusal(
  write: Write,
  { id, resource, thing, before, after }: UndoEntry,
) {
  const row = after ?? before
  const later = await write.first<LaterChange>(
    `SELECT actor_type AS type, actor_id AS actor, ${actorNameSql('audit_log')} AS name, ${timestampText('at')} AS at,
       undoes IS NOT DISTINCT FROM :id AS "isUndoing",
       coalesce((SELECT timezone FROM buildings WHERE id = :building), (SELECT timezone FROM bookables
         JOIN locations ON locations.id = location_id
         JOIN buildings ON buildings.id = building_id WHERE bookables.id = :place)) AS zone
     FROM audit_log WHERE resource = :resource AND resource_id = :thing AND id > :id
     ORDER BY undoes IS NOT DISTINCT FROM :id DESC, id DESC LIMIT 1`,
    {
      id,
      resource,
      thing,
      place: resource === 'bookables' ? thing : (row?.['bookable_id'] ?? null),
      building: resource === 'buildings' ? thing : (row?.['building_id'] ?? null),
    },
  )
  return new Refusal('changed_meanwhile', describeLaterChange(later, write.userId))
}

/** Describes a change after the write. People see the role of the author, but not an administrator's e-mail address. */
function describeLaterChange(later: LaterChange | undefined, reader: number | undefined): Message {
  // If the place no longer exists, its time zone is unknown, so the message contains no time.
  if (!later?.zone) return message`This has been changed since then. Nothing was undone.`
  const { type, actor, name, at, zone, isUndoing } = later
  const when = { at, zone }
  if (type === 'user' && actor === reader)
    return isUndoing
      ? message`You have already undone this, at ${when}.`
      : message`You have changed this since then, at ${when}. Nothing was undone.`
  const who = reader === undefined ? name : getActorRole(type)
  return isUndoing
    ? message`${who} has already undone this, at ${when}.`
    : message`${who} has changed this since then, at ${when}. Nothing was undone.`
}
