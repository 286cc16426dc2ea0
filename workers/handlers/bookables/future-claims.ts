// What is claimed from now on: what stands in the way of those who change or delete a bookable. They hold the bookable
// meanwhile, against new claims and against those who move some.
import { Refusal } from '../../../shared/refusal.ts'
import type { Transaction } from '../../context.ts'
import { type AuditedRow, findRow } from '../rows.ts'
import { lockBookables } from './locks.ts'

/** SQL with :ids and :now. Each kind in a branch of its own, so that it is found in its own index. */
export const CLAIMS_AHEAD = ['exclusive', 'NOT exclusive']
  .map(
    (kind) => `SELECT * FROM bookings
      WHERE ${kind} AND bookable_id = ANY(CAST(:ids AS bigint[])) AND during && tstzrange(:now, NULL)`,
  )
  .join(' UNION ALL ')

export async function countAhead(trx: Transaction, id: number, now: string): Promise<number> {
  const { rows } = await trx.raw(`SELECT count(*)::int AS number FROM (${CLAIMS_AHEAD}) AS claims`, {
    ids: [id],
    now,
  })
  return rows[0].number
}

// The row's lock keeps new claims out. The other one is taken first, as by everybody who moves claims or makes several,
// so that nobody waits in a circle.
export async function holdBookable(trx: Transaction, id: number): Promise<AuditedRow> {
  await lockBookables(trx, [id])
  const found = await findRow(trx, 'bookables', id)
  if (!found || found.row.deleted_at !== null) {
    throw new Refusal('not_found', 'There is no bookable with this id.')
  }
  return found
}
