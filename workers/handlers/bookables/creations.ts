// Bookables: their changes by the API. All else is the administrators': see the files beside this one.

import { audit } from '../../../shared/audit.ts'
import { BOOKABLE_STATUSES } from '../../../shared/contracts/bookables.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { taggedBookableJson } from '../../../shared/shapes/bookables.ts'
import { dataText } from '../../../shared/shapes/json.ts'
import type { JsonText } from '../../../shared/shapes/json-text.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { finishReply } from '../../finished-reply.ts'

type Changes = InputOf<'bookables.update'>
type Present = { name: string; status: number; row: unknown }

const ROW = 'to_jsonb(bookables) AS row'

export async function updateBookable(
  trx: Transaction,
  input: Changes,
  context: WorkContext,
): Promise<JsonText<ReplyOf<'bookables.update'>>> {
  const before = await findBookable(trx, input.id)
  if (!before) throw new Refusal('not_found', 'There is no bookable with this id.')
  if (input.status !== undefined && before.status === BOOKABLE_STATUSES.assigned) {
    const detail = `${before.name} is assigned; only an administrator can release it, in the dashboard.`
    throw new Refusal('bookable_assigned', detail)
  }
  const { text, row } = await changeBookable(trx, input)
  const change = { action: 'bookables.update', resource: 'bookables', resourceId: input.id }
  await audit(trx, context, { ...change, before: before.row, after: row })
  return text
}

async function findBookable(trx: Transaction, id: number): Promise<Present | undefined> {
  const { rows } = await trx.raw(
    `SELECT name, status, ${ROW} FROM bookables WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [id],
  )
  return rows[0]
}

function changeBookable(trx: Transaction, { id, ...changes }: Changes) {
  const { name, description, status, tags } = changes
  return finishReply(
    trx,
    dataText(taggedBookableJson('bookables')),
    (reply) => `UPDATE bookables
     SET name = coalesce(:name, name),
       description = CASE WHEN :describes THEN :description ELSE description END,
       status = coalesce(:status, status),
       tags = coalesce(CAST(:tags AS text[]), tags),
       updated_at = CASE WHEN :changes THEN now() ELSE updated_at END
     WHERE id = :id
     RETURNING ${reply}, ${ROW}`,
    {
      id,
      changes: Object.values(changes).some((value) => value !== undefined),
      name: name ?? null,
      describes: description !== undefined,
      description: description ?? null,
      status: status ?? null,
      tags: tags ? [...new Set(tags)] : null,
    },
  )
}
