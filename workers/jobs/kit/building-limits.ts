// Writes of a token that is limited to buildings: things elsewhere do not exist for it. Checked once the row
// is locked, so that it cannot be moved meanwhile. Costs nothing for callers without a limit.
import { type Message, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { type Connection, rawConnection } from '../../runtime/connection.ts'
import type { Transaction, WriteContext } from '../../runtime/context.ts'

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

/** Refuses a thing elsewhere exactly like one that does not exist. */
export async function requireWithin(
  trx: Transaction,
  limit: Limit,
  table: Limited,
  id: number,
  missing: Message,
): Promise<void> {
  if (limit.buildingIds === undefined) return
  const within = await findWithin(await rawConnection(trx), limit, table, [id])
  if (!within?.has(id)) throw new Refusal('not_found', missing)
}

/** For a thing in several places: refused if the caller can see none of it, or only a part. */
export async function requireAllWithin(
  trx: Transaction,
  limit: Limit,
  table: Limited,
  ids: number[],
  missing: Message,
): Promise<void> {
  if (limit.buildingIds === undefined) return
  const within = await onlyWithin(trx, limit, table, ids)
  if (within.length === 0) throw new Refusal('not_found', missing)
  if (within.length === ids.length) return
  throw new Refusal(
    'outside_buildings',
    message`Part of it lies in buildings that this token is not limited to.`,
  )
}

/** Those of the ids that the caller can see, in the same order. */
export async function onlyWithin(
  trx: Transaction,
  limit: Limit,
  table: Limited,
  ids: number[],
): Promise<number[]> {
  if (limit.buildingIds === undefined) return ids
  const within = await findWithin(await rawConnection(trx), limit, table, ids)
  return ids.filter((id) => within?.has(id))
}
