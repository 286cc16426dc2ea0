// Bookables created by administrators: many at once, each with a unique name in its location.

import { auditEach } from '../../../shared/audit/audit.ts'
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { CREATED } from '../../../shared/changes/former.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { counted, listNames, message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { type AuditedRow, auditedRow } from '../kit/rows.ts'

type NewBookables = InputOf<'bookables.create'>

const NAMES_SHOWN_MAX = 5

export async function createBookables(
  trx: Transaction,
  input: NewBookables,
  context: WorkContext,
): Promise<ReplyOf<'bookables.create'>> {
  await lockLocation(trx, input.location_id)
  await refuseTakenNames(trx, input.location_id, input.names, 'names')
  const created = await insertBookables(trx, input)
  const changes = created.map(({ id, row }) => ({ id, after: row }))
  await auditEach(trx, context, { action: 'bookables.create', resource: 'bookables' }, CREATED, changes)
  return { data: { ids: created.map(({ id }) => id) } }
}

// Locks the location, so that two requests cannot add the same name.
export async function lockLocation(trx: Transaction, id: number): Promise<void> {
  const { rows } = await trx.raw('SELECT FROM locations WHERE id = ? FOR NO KEY UPDATE', [id])
  if (rows.length === 0) throw invalid({ location_id: [message`There is no location with this id.`] })
}

// Ignores case, because names that differ only in case sound the same.
export async function refuseTakenNames(
  trx: Transaction,
  locationId: number,
  names: string[],
  field: string,
): Promise<void> {
  const taken = await trx.raw(
    `SELECT name FROM unnest(?::text[]) AS asked (name)
     WHERE lower(name) IN (
       SELECT lower(bookables.name) FROM bookables WHERE location_id = ? AND deleted_at IS NULL
     ) GROUP BY name ORDER BY ${naturalSql('name')}`,
    [names, locationId],
  )
  const repeated = await trx.raw(
    `SELECT min(name) AS name FROM unnest(?::text[]) AS asked (name) GROUP BY lower(name) HAVING count(*) > 1
     ORDER BY ${naturalSql('min(name)')}`,
    [names],
  )
  const isTaken = counted(
    taken.rows.length,
    '{0} already exists in this location.',
    '{0} already exist in this location.',
    listRowNames(taken.rows),
  )
  const isRepeated = counted(
    repeated.rows.length,
    '{0} is in the list more than once.',
    '{0} are in the list more than once.',
    listRowNames(repeated.rows),
  )
  const problems = [isTaken, isRepeated].filter(({ count }) => count !== 0)
  if (problems.length > 0) throw invalid({ [field]: problems })
}

const listRowNames = (rows: Array<{ name: string }>) =>
  listNames(
    rows.map(({ name }) => name),
    NAMES_SHOWN_MAX,
  )

async function insertBookables(trx: Transaction, input: NewBookables): Promise<AuditedRow[]> {
  const { rows } = await trx.raw(
    `INSERT INTO bookables (location_id, name, description, type, status, tags, capacity, requires_vehicle)
     SELECT :location_id, name, :description, :type, :status, :tags, :capacity, :requires_vehicle
     FROM unnest(CAST(:names AS text[])) WITH ORDINALITY AS asked (name, ordinal)
     ORDER BY ordinal
     RETURNING ${auditedRow('bookables')}`,
    {
      ...input,
      description: input.description ?? null,
      status: input.status ?? BOOKABLE_STATUSES.flexible,
      tags: [...new Set(input.tags)],
      capacity: input.capacity ?? null,
      requires_vehicle: input.requires_vehicle ?? false,
    },
  )
  return rows
}
