// Checks what a write requires of the current state: an ETag, the version of a form, fields that must not change, and
// the buildings of a limited token. The rows are already locked, so the results of the checks stay true.
import type * as yup from 'yup'
import { fieldName, type Message, message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import {
  contentSql,
  getVersionedTable,
  type VersionedResource,
  versionSql,
} from '../../../shared/schemas/versions.ts'
import { computeEtag } from '../../../shared/utilities/etags.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { BatchedWrite, SqlValues, Write, WriteContext } from '../../runtime/write.ts'

/**
 * Implements If-Match: refuses a write that was made for another version of the resource. `select` returns the body
 * that a GET of the resource returns. Without ETags there is no condition, and no query runs.
 */
export async function requireMatch(
  write: Write,
  etags: string[] | undefined,
  select: string,
  values: SqlValues,
): Promise<void> {
  if (etags !== undefined) refuseOtherETag(etags, await findETag(write, select, values))
}

/** Returns the ETag that a GET of the resource returns once this transaction is committed. */
export async function findETag(
  write: Write,
  select: string,
  values: SqlValues,
  compute: (body: string) => string = computeEtag,
): Promise<string> {
  return compute((await write.only<{ body: string }>(select, values)).body)
}

export function refuseOtherETag(etags: string[], etag: string): void {
  if (etags.includes(etag)) return
  throw new Refusal(
    'precondition_failed',
    message`The resource has changed since this ETag. Nothing was done.`,
  )
}

/** Refuses input from an outdated form. If there is no version, the write overwrites the current values. */
export async function requireVersion(
  write: Write,
  of: VersionedResource,
  id: number,
  expected: string | undefined,
) {
  if (expected === undefined) return
  refuseOtherVersion(
    expected,
    await write.only<PresentVersion>(`${selectVersionsSql(of)} WHERE id = ?`, [id]),
  )
}

type PresentVersion = { version: string; present: unknown }

const selectVersionsSql = (of: VersionedResource) =>
  `SELECT id, ${versionSql(of)} AS version, ${contentSql(of)} AS present FROM ${getVersionedTable(of)}`

/** Returns the current versions by id, for the resources whose writes expect a version. */
export async function findVersions(
  connection: Connection,
  of: VersionedResource,
  writes: Array<BatchedWrite<{ id: number; version?: string | undefined }>>,
): Promise<Map<number, PresentVersion>> {
  const ids = writes.flatMap(({ input }) => (input.version === undefined ? [] : [input.id]))
  if (ids.length === 0) return new Map()
  const { rows } = await connection.query<PresentVersion & { id: number }>({
    name: `find-${of}-versions`,
    text: `${selectVersionsSql(of)} WHERE id = ANY($1::bigint[])`,
    values: [ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

export function refuseOtherVersion(expected: string, { version, present }: PresentVersion): void {
  if (version === expected) return
  const detail = message`This was changed while you were editing it. Nothing was saved.`
  throw new Refusal('changed_meanwhile', detail, { members: { version, present } })
}

/** Refuses changes to fields that cannot change after creation (schemas/inputs.ts). */
export function refuseFixedFields(
  { fields }: { fields: Record<string, unknown> },
  input: Record<string, unknown>,
  present: Record<string, unknown>,
) {
  const errors: FieldErrors = {}
  for (const [name, schema] of Object.entries(fields)) {
    const way = (schema as yup.AnySchema).spec.meta?.fixed
    if (!way || input[name] === undefined) continue
    if (toComparable(input[name]) !== toComparable(present[name]))
      errors[name] = [message`${fieldName(name)} cannot be changed here: ${way}`]
  }
  if (Object.keys(errors).length > 0) throw invalidFields(errors)
}

// Makes values comparable. Ids may be numbers or strings of digits, texts are trimmed, and an empty text counts as
// absent.
const toComparable = (value: unknown) =>
  typeof value === 'object' && value !== null ? value : String(value ?? '').trim()

type BuildingLimit = Pick<WriteContext, 'buildingIds'>

// SQL for those of the ids in $1 that are in the buildings $2. Events and series are in the buildings of their claims.
const IN_TOKEN_BUILDINGS_SQL = {
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
type LimitedTable = keyof typeof IN_TOKEN_BUILDINGS_SQL

/** Returns the ids that the caller can see, or undefined if the caller's token is not limited. */
export async function findIdsInTokenBuildings(
  connection: Connection,
  { buildingIds }: BuildingLimit,
  table: LimitedTable,
  ids: number[],
): Promise<Set<number> | undefined> {
  if (buildingIds === undefined) return undefined
  const { rows } = await connection.query<{ id: number }>({
    name: `find-${table}-within-buildings`,
    text: IN_TOKEN_BUILDINGS_SQL[table],
    values: [ids, buildingIds],
  })
  return new Set(rows.map(({ id }) => id))
}

/**
 * Returns the indexes of the resources that their callers cannot see. Callers with the same limit are checked together.
 */
export async function findOutsideTokenBuildings(
  connection: Connection,
  table: LimitedTable,
  asked: Array<{ context: BuildingLimit; id: number }>,
): Promise<Set<number>> {
  const limits = new Map(asked.map(({ context }) => [String(context.buildingIds), context]))
  const outside = new Set<number>()
  for (const [name, limit] of limits) {
    const theirs = [...asked.entries()].filter(([, { context }]) => String(context.buildingIds) === name)
    const ids = theirs.map(([, { id }]) => id)
    const within = await findIdsInTokenBuildings(connection, limit, table, ids)
    for (const [index, { id }] of theirs) if (within && !within.has(id)) outside.add(index)
  }
  return outside
}

/**
 * Refuses a resource in another building as if it did not exist. Also refuses a resource that is only partly in the
 * token's buildings.
 */
export async function requireInTokenBuildings(
  write: Write,
  table: LimitedTable,
  ids: number[],
  missing: Message,
) {
  if (write.buildingIds === undefined) return
  refuseOutsideTokenBuildings((await filterToTokenBuildings(write, table, ids)).length, ids.length, missing)
}

/**
 * Refuses a resource unless all its parts are in the token's buildings. `all` is the number of its parts, and `within`
 * the number in these buildings.
 */
export function refuseOutsideTokenBuildings(within: number, all: number, missing: Message): void {
  if (within === 0) throw new Refusal('not_found', missing)
  if (within === all) return
  const detail = message`Part of this is in buildings that the token may not use.`
  throw new Refusal('outside_buildings', detail)
}

/** Refuses the id of a resource in another building, as if no resource had this id. */
export async function requireFieldInTokenBuildings(
  write: Write,
  table: LimitedTable,
  fields: Record<string, number>,
  missing: Message,
) {
  const ids = Object.values(fields)
  if ((await filterToTokenBuildings(write, table, ids)).length === ids.length) return
  throw invalidFields(Object.fromEntries(Object.keys(fields).map((name) => [name, [missing]])))
}

/** Returns those of the ids that the caller can see, in the same order. */
export async function filterToTokenBuildings(
  write: Write,
  table: LimitedTable,
  ids: number[],
): Promise<number[]> {
  if (write.buildingIds === undefined) return ids
  const within = await findIdsInTokenBuildings(await write.connection(), write, table, ids)
  return ids.filter((id) => within?.has(id))
}
