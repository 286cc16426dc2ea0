// Sets the rules of a place as a whole. They apply to later bookings; present ones stay.

import { isClosedWith } from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import type { Closed } from '../../../shared/rules/closed.ts'
import type { Rules } from '../../../shared/rules/rules.ts'
import type { RulePlace } from '../../../shared/rules/rules-shape.ts'
import { placeRulesJson, ruleRows } from '../../../shared/rules/rules-shape.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { finishReply } from '../../runtime/finished-reply.ts'
import { clearTheWay } from '../affected-bookings/clear.ts'
import { lockRowWithin, updateRow } from '../kit/rows.ts'
import { requireVersion } from '../kit/versions.ts'

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
    const { id, rules, version, in_the_way } = input
    if (in_the_way !== undefined) await clearClosed(trx, table, input, context)
    const row = await lockRowWithin(trx, context, table, id)
    await requireVersion(trx, VERSIONED[table], id, version)
    await refuseUnknownGroups(trx, rules)
    const fields = { rules: Object.keys(rules).length > 0 ? JSON.stringify(rules) : null }
    await updateRow(trx, context, row, { table, action: `${table}.set-rules`, fields })
    const statement = (text: string) => `SELECT ${text} FROM ${ruleRows(table)} WHERE ${table}.id = ?`
    return (await finishReply(trx, reply, statement, [id])).text
  }
}

// Only times that become closed now: claims that were left before are not asked about again.
async function clearClosed(
  trx: Transaction,
  table: RulePlace,
  { id, rules, ...conflictInput }: Input,
  context: WorkContext,
): Promise<void> {
  const present = await trx.raw(`SELECT rules -> 'closed' AS closed FROM ${table} WHERE id = ?`, [id])
  const before: Closed[] = present.rows[0]?.closed ?? []
  const times = (rules.closed ?? []).filter(
    ({ from, to }) => !before.some((each) => each.from === from && each.to === to),
  )
  if (times.length === 0) return
  const { rows } = await trx.raw(
    `SELECT bookables.id FROM bookables JOIN locations ON locations.id = bookables.location_id
     JOIN buildings ON buildings.id = locations.building_id
     WHERE ${table}.id = ? AND ${isClosedWith(table)}`,
    [id],
  )
  const ids = rows.map((row: { id: number }) => row.id)
  await clearTheWay(trx, { ids, times }, conflictInput, context)
}

async function refuseUnknownGroups(trx: Transaction, { group_ids }: Rules): Promise<void> {
  if (!group_ids) return
  const { rows } = await trx.raw(
    'SELECT DISTINCT id FROM unnest(?::bigint[]) AS id WHERE id NOT IN (SELECT id FROM groups) ORDER BY id',
    [group_ids],
  )
  if (rows.length === 0) return
  throw invalid({
    group_ids: rows.map(({ id }: { id: number }) => message`There is no group with the id ${id}.`),
  })
}
