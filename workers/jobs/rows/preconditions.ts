// What a write may require of the present state: an ETag, the version of a form, fields that stay, and for a token
// that is limited to buildings, a thing in them. The row is locked already, so each check is final.
import type * as yup from 'yup'
import { field, type Message, message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { contentSql, type Versioned, versionedTable, versionSql } from '../../../shared/schemas/versions.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { BatchedWrite, Values, Write, WriteContext } from '../../runtime/write.ts'

/**
 * If-Match: refuses a write that was made for another state. `select` returns the body of the resource's GET.
 * Without ETags there is no condition and no query.
 */
export async function requireMatch(
  write: Write,
  etags: string[] | undefined,
  select: string,
  values: Values,
): Promise<void> {
  if (etags !== undefined) refuseOtherETag(etags, await findETag(write, select, values))
}

/** The ETag that the resource's GET has once this transaction is committed. */
export async function findETag(write: Write, select: string, values: Values): Promise<string> {
  return etagOf((await write.only<{ body: string }>(select, values)).body)
}

export function refuseOtherETag(etags: string[], etag: string): void {
  if (etags.includes(etag)) return
  throw new Refusal('precondition_failed', message`It has been changed since this ETag. Nothing was done.`)
}

/** Refuses input from an outdated form. Without a version, whatever is there is replaced. */
export async function requireVersion(write: Write, of: Versioned, id: number, expected: string | undefined) {
  if (expected === undefined) return
  refuseOtherVersion(expected, await write.only<PresentVersion>(`${selectVersions(of)} WHERE id = ?`, [id]))
}

type PresentVersion = { version: string; present: unknown }

const selectVersions = (of: Versioned) =>
  `SELECT id, ${versionSql(of)} AS version, ${contentSql(of)} AS present FROM ${versionedTable(of)}`

/** By id: of those whose writes expect a version. */
export async function findVersions(
  connection: Connection,
  of: Versioned,
  writes: Array<BatchedWrite<{ id: number; version?: string | undefined }>>,
): Promise<Map<number, PresentVersion>> {
  const ids = writes.flatMap(({ input }) => (input.version === undefined ? [] : [input.id]))
  if (ids.length === 0) return new Map()
  const { rows } = await connection.query<PresentVersion & { id: number }>({
    name: `find-${of}-versions`,
    text: `${selectVersions(of)} WHERE id = ANY($1::bigint[])`,
    values: [ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

export function refuseOtherVersion(expected: string, { version, present }: PresentVersion): void {
  if (version === expected) return
  const detail = message`This was changed while you were editing it. Nothing was saved.`
  throw new Refusal('changed_meanwhile', detail, { members: { version, present } })
}

/** Refuses changes to fields that are fixed at creation (schemas/inputs.ts). */
export function refuseFixed(
  { fields }: { fields: Record<string, unknown> },
  input: Record<string, unknown>,
  present: Record<string, unknown>,
) {
  const errors: FieldErrors = {}
  for (const [name, schema] of Object.entries(fields)) {
    const way = (schema as yup.AnySchema).spec.meta?.fixed
    if (!way || input[name] === undefined) continue
    if (comparable(input[name]) !== comparable(present[name]))
      errors[name] = [message`${field(name)} cannot be changed here: ${way}`]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

// Ids may be numbers or digits, texts are trimmed, and an empty text counts as absent.
const comparable = (value: unknown) =>
  typeof value === 'object' && value !== null ? value : String(value ?? '').trim()

type Limit = Pick<WriteContext, 'buildingIds'>

// SQL for the ids in $1 that lie in buildings $2. Events and series lie where their claims do.
const IN_TOKEN_BUILDINGS = {
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
type Limited = keyof typeof IN_TOKEN_BUILDINGS

/** Those of the ids that the caller can see; undefined if the caller is not limited. */
export async function findIdsInTokenBuildings(
  connection: Connection,
  { buildingIds }: Limit,
  table: Limited,
  ids: number[],
): Promise<Set<number> | undefined> {
  if (buildingIds === undefined) return undefined
  const { rows } = await connection.query<{ id: number }>({
    name: `find-${table}-within-buildings`,
    text: IN_TOKEN_BUILDINGS[table],
    values: [ids, buildingIds],
  })
  return new Set(rows.map(({ id }) => id))
}

/** The indexes of the things that their callers cannot see. Callers with the same limit are asked for together. */
export async function findOutsideTokenBuildings(
  connection: Connection,
  table: Limited,
  asked: Array<{ context: Limit; id: number }>,
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

/** Refuses a thing elsewhere like one that does not exist, and a thing that lies only in part here. */
export async function requireInTokenBuildings(write: Write, table: Limited, ids: number[], missing: Message) {
  if (write.buildingIds === undefined) return
  refuseOutside((await filterToTokenBuildings(write, table, ids)).length, ids.length, missing)
}

/** Of so many parts of a thing, so many lie within the buildings of a token that is limited to some. */
export function refuseOutside(within: number, all: number, missing: Message): void {
  if (within === 0) throw new Refusal('not_found', missing)
  if (within === all) return
  const detail = message`Part of it lies in buildings that this token is not limited to.`
  throw new Refusal('outside_buildings', detail)
}

/** Refuses a field with the id of a thing elsewhere like one with an unknown id. */
export async function requireFieldInTokenBuildings(
  write: Write,
  table: Limited,
  fields: Record<string, number>,
  missing: Message,
) {
  const ids = Object.values(fields)
  if ((await filterToTokenBuildings(write, table, ids)).length === ids.length) return
  throw invalid(Object.fromEntries(Object.keys(fields).map((name) => [name, [missing]])))
}

/** Those of the ids that the caller can see, in the same order. */
export async function filterToTokenBuildings(write: Write, table: Limited, ids: number[]): Promise<number[]> {
  if (write.buildingIds === undefined) return ids
  const within = await findIdsInTokenBuildings(await write.connection(), write, table, ids)
  return ids.filter((id) => within?.has(id))
}
