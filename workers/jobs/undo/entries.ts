// The entries of the audit log that one write has left, and whether what they are about is still as the write left it.
import { actorName, roleOfActor } from '../../../shared/audit/actors.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { entriesOfWrite } from '../../../shared/undo/one-write.ts'
import type { Write } from '../../runtime/write.ts'

export type Row = Readonly<Record<string, unknown>>

export type Entry = {
  id: number
  attempt: string | null
  action: string
  resource: 'bookables' | 'bookings' | 'buildings' | 'locations'
  /** The id of the booking or place. */
  thing: number
  before: Row | null
  after: Row | null
  /** Of a booking, before the write. */
  from: string
  to: string | null
}

const FORMER = "CAST(audit_log.before ->> 'during' AS tstzrange)"

/** The newest first. */
export function listEntries(write: Write, id: number): Promise<Entry[]> {
  return write.all(
    `SELECT audit_log.id, audit_log.attempt, audit_log.action, audit_log.resource, audit_log.resource_id AS thing,
       audit_log.before, audit_log.after,
       ${timestampText(`lower(${FORMER})`)} AS "from", ${timestampText(`upper(${FORMER})`)} AS "to"
     FROM ${entriesOfWrite('?')} ORDER BY audit_log.id DESC`,
    [id],
  )
}

// A check-in since then does not matter.
const COMPARED = [
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
const columnsOf = (table: string) => `ROW (${COMPARED.map((column) => `${table}.${column}`).join(', ')})`
// Derived from others, or moments of the write itself.
const IGNORED = ['updated_at', 'created_at', 'position_changed_at']

/** Names who has changed it since, or that it was undone already. */
export async function refuseChanged(write: Write, entries: Entry[]): Promise<void> {
  const [first] = await write.all<{ id: number }>(
    `SELECT entries.id FROM audit_log AS entries
     LEFT JOIN bookings ON entries.resource = 'bookings' AND bookings.id = entries.resource_id
     LEFT JOIN LATERAL jsonb_populate_record(NULL::bookings, entries.after) AS was ON true
     WHERE entries.id = ANY(?::bigint[]) AND entries.resource = 'bookings' AND CASE
       WHEN entries.after IS NULL THEN bookings.id IS NOT NULL
       ELSE bookings.id IS NULL OR ${columnsOf('bookings')} IS DISTINCT FROM ${columnsOf('was')} END
     ORDER BY entries.id LIMIT 1`,
    [entries.map(({ id }) => id)],
  )
  const changed = entries.find(({ id }) => id === first?.id)
  if (changed) throw await changedSince(write, changed)
}

/** The fields that the entry changed, with the values before. */
export function formerFields({ before, after }: Entry): Row {
  const names = Object.keys(before ?? {}).filter(
    (name) => !IGNORED.includes(name) && JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  )
  return Object.fromEntries(names.map((name) => [name, before?.[name] ?? null]))
}

/** Whether these fields still have the values that the entry left. */
export const isStill = ({ after }: Entry, present: Row, names: string[]): boolean =>
  names.every((name) => JSON.stringify(present[name]) === JSON.stringify(after?.[name]))

/** Erasures take values out of entries. */
export function isWhole({ action, resource, before, after }: Entry): boolean {
  if (resource !== 'bookings') return before !== null
  const isKnown = (row: Row | null) =>
    typeof row?.['bookable_id'] === 'number' && typeof row['user_id'] === 'number'
  if (action === 'bookings.create') return isKnown(after)
  return isKnown(before) && (isKnown(after) || (after === null && action !== 'bookings.update'))
}

export const cannotBeUndone = () =>
  new Refusal('in_use', message`This change also did what cannot be undone here. Nothing was undone.`)

export const severalWritesRefusal = () =>
  new Refusal(
    'in_use',
    message`This was done before Berth recorded which changes belong together. Nothing was undone.`,
  )

type Later = {
  type: string
  actor: number
  name: string
  at: string
  zone: string | null
  isUndoing: boolean
}

export async function changedSince(write: Write, { id, resource, thing, before, after }: Entry) {
  const row = after ?? before
  const later = await write.first<Later>(
    `SELECT actor_type AS type, actor_id AS actor, ${actorName('audit_log')} AS name, ${timestampText('at')} AS at,
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
  return new Refusal('changed_meanwhile', describeLater(later, write.userId))
}

/** People learn the role of others, and no administrator's e-mail address. */
function describeLater(later: Later | undefined, reader: number | undefined): Message {
  // Without the place there is no time zone, so no time can be named.
  if (!later?.zone) return message`This has been changed since then. Nothing was undone.`
  const { type, actor, name, at, zone, isUndoing } = later
  const when = { at, zone }
  if (type === 'user' && actor === reader)
    return isUndoing
      ? message`You have already undone this, at ${when}.`
      : message`You have changed this since then, at ${when}. Nothing was undone.`
  const who = reader === undefined ? name : roleOfActor(type)
  return isUndoing
    ? message`${who} has already undone this, at ${when}.`
    : message`${who} has changed this since then, at ${when}. Nothing was undone.`
}
