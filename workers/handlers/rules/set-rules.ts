// The rules of a place, set as a whole. They hold for bookings that come after; what is booked already stays.

import type { Rules } from '../../../shared/contracts/rules/rules.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs.ts'
import { invalid } from '../../../shared/refusal.ts'
import { dataText } from '../../../shared/shapes/json.ts'
import type { JsonText } from '../../../shared/shapes/json-text.ts'
import type { RulePlace } from '../../../shared/shapes/rules.ts'
import { placeRulesJson, ruleRows } from '../../../shared/shapes/rules.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import { finishReply } from '../../finished-reply.ts'
import { lockRowWithin, updateRow } from '../rows.ts'
import { requireVersion } from '../versions.ts'

type Input = InputOf<'buildings.set-rules'>
type Reply = ReplyOf<'buildings.set-rules'>

const VERSIONED = {
  buildings: 'building-rules',
  locations: 'location-rules',
  bookables: 'bookable-rules',
} as const

export function setRulesOf(table: RulePlace) {
  const reply = dataText(placeRulesJson(table))
  return async (trx: Transaction, input: Input, context: WorkContext): Promise<JsonText<Reply>> => {
    const { id, rules, version } = input
    const row = await lockRowWithin(trx, context, table, id)
    await requireVersion(trx, VERSIONED[table], id, version)
    await refuseUnknownGroups(trx, rules)
    const fields = { rules: Object.keys(rules).length > 0 ? JSON.stringify(rules) : null }
    await updateRow(trx, context, row, { table, action: `${table}.set-rules`, fields })
    const statement = (text: string) => `SELECT ${text} FROM ${ruleRows(table)} WHERE ${table}.id = ?`
    return (await finishReply(trx, reply, statement, [id])).text
  }
}

async function refuseUnknownGroups(trx: Transaction, { group_ids }: Rules): Promise<void> {
  if (!group_ids) return
  const { rows } = await trx.raw(
    'SELECT DISTINCT id FROM unnest(?::bigint[]) AS id WHERE id NOT IN (SELECT id FROM groups) ORDER BY id',
    [group_ids],
  )
  if (rows.length === 0) return
  throw invalid({ group_ids: rows.map(({ id }: { id: number }) => `There is no group with the id ${id}.`) })
}
