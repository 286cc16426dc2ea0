// Bookables deleted by administrators: all of them or none, and only those without future claims. A bookable
// with past bookings is kept for their history, and hidden everywhere else.

import { auditEach } from '../../../shared/audit/audit.ts'
import { readFormer } from '../../../shared/changes/former.ts'
import { listNames, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import type { Handler, Transaction } from '../../runtime/context.ts'
import { clearTheWay } from '../affected-bookings/clear.ts'
import { FUTURE_CLAIMS, lockBookables, lockClaims } from '../claims/locks.ts'
import { type AuditedRow, auditedRow } from '../kit/rows.ts'

const NAMES_SHOWN_MAX = 3

export const deleteBookables: Handler<'bookables.delete'> = async (trx, input, context) => {
  const ids = [...new Set(input.ids)]
  const fromNowOn = [{ from: context.now, to: null }]
  await clearTheWay(trx, { ids, times: fromNowOn }, input, context)
  await lockClaims(trx, ids)
  const found = await lockBookables(trx, ids, 'FOR UPDATE')
  await refuseClaimed(trx, ids, context.now)
  const former = await readFormer(trx, 'bookables', ids)
  const kept = await remove(trx, ids)
  const changes = found.map(({ id, row }) => ({
    id,
    before: row,
    ...(kept.has(id) ? { after: kept.get(id) } : {}),
  }))
  await auditEach(trx, context, 'bookables.delete', former, changes)
  return { data: { deleted: ids.length } }
}

async function refuseClaimed(trx: Transaction, ids: number[], now: string): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT bookables.name, count(*)::int AS number
     FROM (${FUTURE_CLAIMS}) AS claims JOIN bookables ON bookables.id = claims.bookable_id
     GROUP BY bookables.id ORDER BY ${naturalSql('bookables.name')}, bookables.id`,
    { ids, now },
  )
  if (rows.length === 0) return
  const claimed = rows.map(({ name, number }: (typeof rows)[number]) => `${name} (${number})`)
  const names = listNames(claimed, NAMES_SHOWN_MAX)
  throw new Refusal(
    'in_use',
    message`There are current or upcoming bookings or events of ${names}. Nothing was deleted.`,
  )
}

/** Returns the rows that are kept, by id. Their integration e-mails may be used again. */
async function remove(trx: Transaction, ids: number[]): Promise<Map<number, unknown>> {
  await trx.raw(
    `DELETE FROM bookables
     WHERE id = ANY(?::bigint[]) AND NOT EXISTS (SELECT FROM bookings WHERE bookable_id = bookables.id)`,
    [ids],
  )
  await trx.raw('DELETE FROM bookable_assignees WHERE bookable_id = ANY(?::bigint[])', [ids])
  const { rows } = await trx.raw(
    `UPDATE bookables SET deleted_at = now(), integration_email = NULL, updated_at = now()
     WHERE id = ANY(?::bigint[])
     RETURNING ${auditedRow('bookables')}`,
    [ids],
  )
  return new Map(rows.map(({ id, row }: AuditedRow) => [id, row]))
}
