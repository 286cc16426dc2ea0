// Writes of a token that is limited to buildings: things elsewhere do not exist for it. Checked once the row
// is locked, so that it cannot be moved meanwhile. Costs nothing for callers without a limit.
import { type Message, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { Write, WriteContext } from '../../runtime/write.ts'

type Limit = Pick<WriteContext, 'buildingIds'>

// SQL for the ids in $1 that lie in buildings $2. Events and series lie where their claims do.
const WITHIN = {
  buildings: 'SELECT id FROM unnest($1::bigint[]) AS id WHERE id = ANY ($2::bigint[])',
  locations: 'SELECT id FROM locations WHERE id = ANY ($1) AND building_id = ANY ($2)',
  bookables: `SELECT bookables.id FROM bookables JOIN locations ON locations.id = bookables.location_id
    WHERE bookables.id = ANY ($1) AND locations.building_id = ANY ($2)`,
  bookings: `SELECT bookings.id FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id
    JOIN locations ON locations.id = bookables.location_id
    WHERE bookings.id = ANY ($1) AND locations.building_id = ANY ($2)`,
  calendars: `SELECT calendars.id FROM calendars LEFT JOIN bookables ON bookables.id = calendars.bookable_id
    JOIN locations ON locations.id = coalesce(calendars.location_id, bookables.location_id)
    WHERE calendars.id = ANY ($1) AND locations.building_id = ANY ($2)`,
  webhooks: 'SELECT id FROM webhooks WHERE id = ANY ($1) AND building_ids <@ $2',
}
type Limited = keyof typeof WITHIN

/** Those of the ids that the caller can see; undefined if the caller is not limited. */
export async function findWithin(
  connection: Connection,
  { buildingIds }: Limit,
  table: Limited,
  ids: number[],
): Promise<Set<number> | undefined> {
  if (buildingIds === undefined) return undefined
  const { rows } = await connection.query<{ id: number }>({
    name: `find-${table}-within-buildings`,
    text: WITHIN[table],
    values: [ids, buildingIds],
  })
  return new Set(rows.map(({ id }) => id))
}

/**
 * Refuses a thing elsewhere exactly like one that does not exist. A thing that lies in several places is
 * refused if the caller can see none of them, or only a part.
 */
export async function requireWithin(write: Write, table: Limited, ids: number[], missing: Message) {
  if (write.buildingIds === undefined) return
  const within = await onlyWithin(write, table, ids)
  if (within.length === 0) throw new Refusal('not_found', missing)
  if (within.length === ids.length) return
  throw new Refusal(
    'outside_buildings',
    message`Part of it lies in buildings that this token is not limited to.`,
  )
}

/** Those of the ids that the caller can see, in the same order. */
export async function onlyWithin(write: Write, table: Limited, ids: number[]): Promise<number[]> {
  if (write.buildingIds === undefined) return ids
  const within = await findWithin(await write.connection(), write, table, ids)
  return ids.filter((id) => within?.has(id))
}
