// Bookables as administrators make and change them: many at once, in every field, and their place on the plan.

import { audit, auditEach } from '../../../shared/audit.ts'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/contracts/bookables.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { invalid, Refusal } from '../../../shared/refusal.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { type AuditedRow, auditedRow, changeRow, countOf, findRow, idReply } from '../rows.ts'
import { requireVersion } from '../versions.ts'
import { countAhead, holdBookable } from './future-claims.ts'

type NewBookables = InputOf<'bookables.create'>
type Edits = InputOf<'bookables.edit'>

const NAMED_MAX = 5

/** Whoever adds to a location holds it meanwhile, so that two cannot add the same name. */
export async function createBookables(
  trx: Transaction,
  input: NewBookables,
  context: WorkContext,
): Promise<ReplyOf<'bookables.create'>> {
  if (!(await findRow(trx, 'locations', input.location_id))) {
    throw invalid({ location_id: ['There is no location with this id.'] })
  }
  await refuseTakenNames(trx, input)
  const made = await insertBookables(trx, input)
  const changes = made.map(({ id, row }) => ({ id, after: row }))
  await auditEach(trx, context, { action: 'bookables.create', resource: 'bookables' }, changes)
  return { data: { ids: made.map(({ id }) => id) } }
}

// Without regard to letter case, which nobody hears.
async function refuseTakenNames(trx: Transaction, { names, location_id }: NewBookables): Promise<void> {
  const taken = await trx.raw(
    `SELECT DISTINCT name FROM unnest(?::text[]) AS asked (name)
     WHERE lower(name) IN (
       SELECT lower(bookables.name) FROM bookables WHERE location_id = ? AND deleted_at IS NULL
     ) ORDER BY name`,
    [names, location_id],
  )
  const repeated = await trx.raw(
    `SELECT min(name) AS name FROM unnest(?::text[]) AS asked (name) GROUP BY lower(name) HAVING count(*) > 1
     ORDER BY name`,
    [names],
  )
  const sentences = [
    ...sentence(taken.rows, ['exists', 'exist'], 'in this location already.'),
    ...sentence(repeated.rows, ['is', 'are'], 'in the list more than once.'),
  ]
  if (sentences.length > 0) throw invalid({ names: sentences })
}

function sentence(rows: Array<{ name: string }>, [one, many]: [string, string], rest: string): string[] {
  if (rows.length === 0) return []
  const shown = rows.slice(0, NAMED_MAX).map(({ name }) => name)
  const more = rows.length > NAMED_MAX ? ` and ${rows.length - NAMED_MAX} more` : ''
  return [`${shown.join(', ')}${more} ${rows.length === 1 ? one : many} ${rest}`]
}

async function insertBookables(trx: Transaction, input: NewBookables): Promise<AuditedRow[]> {
  const { rows } = await trx.raw(
    `INSERT INTO bookables (location_id, name, description, type, status, tags, capacity, requires_vehicle)
     SELECT :location_id, name, :description, :type, :status, :tags, :capacity, :requires_vehicle
     FROM unnest(CAST(:names AS text[])) WITH ORDINALITY AS asked (name, place)
     ORDER BY place
     RETURNING ${auditedRow('bookables')}`,
    {
      ...input,
      description: input.description ?? null,
      status: input.status ?? BOOKABLE_STATUSES.flexible,
      tags: distinct(input.tags ?? []),
      capacity: input.capacity ?? null,
      requires_vehicle: input.requires_vehicle ?? false,
    },
  )
  return rows
}

export async function editBookable(
  trx: Transaction,
  { id, version, ...edits }: Edits,
  context: WorkContext,
): Promise<ReplyOf<'bookables.edit'>> {
  const before = await holdBookable(trx, id)
  await requireVersion(trx, 'bookables', id, version)
  if (edits.status !== undefined && before.row.status === BOOKABLE_STATUSES.assigned) {
    throw new Refusal('bookable_assigned', `${before.row.name} is assigned; end that first.`)
  }
  await refuseOtherKind(trx, before, edits, context)
  const isMoved = edits.location_id !== undefined && edits.location_id !== before.row.location_id
  const after = await changeRow(trx, 'bookables', before, {
    ...edits,
    tags: edits.tags && distinct(edits.tags),
    // The place was one on the other plan.
    ...(isMoved ? { plan_x: null, plan_y: null } : {}),
    updated_at: trx.fn.now(),
  })
  const change = { action: 'bookables.edit', resource: 'bookables', resourceId: id }
  await audit(trx, context, { ...change, before: before.row, after: after.row })
  return idReply(id)
}

// A claim says whether it is exclusive: a home office's is not, all others are.
async function refuseOtherKind(
  trx: Transaction,
  { id, row }: AuditedRow,
  { type }: Pick<Edits, 'type'>,
  { now }: WorkContext,
): Promise<void> {
  const { homeOffice } = BOOKABLE_TYPES
  if (type === undefined || (type === homeOffice) === (row.type === homeOffice)) return
  const number = await countAhead(trx, id, now)
  if (number === 0) return
  const held = `${row.name} has ${countOf(number, 'claim')} from now on (bookings or events)`
  throw new Refusal(
    'in_use',
    `${held}: until then it can become no home office, nor anything else if it is one.`,
  )
}

export async function placeBookable(
  trx: Transaction,
  { id, version, x, y }: InputOf<'bookables.place'>,
  context: WorkContext,
): Promise<ReplyOf<'bookables.place'>> {
  const before = await findRow(trx, 'bookables', id)
  if (!before || before.row.deleted_at !== null) {
    throw new Refusal('not_found', 'There is no bookable with this id.')
  }
  await requireVersion(trx, 'positions', id, version)
  const after = await changeRow(trx, 'bookables', before, { plan_x: x, plan_y: y, updated_at: trx.fn.now() })
  const change = { action: 'bookables.place', resource: 'bookables', resourceId: id }
  await audit(trx, context, { ...change, before: before.row, after: after.row })
  return idReply(id)
}

function distinct(tags: string[]): string[] {
  return [...new Set(tags)]
}
