// Replaces all rules of a place. The new rules apply to later bookings, and existing bookings stay.
import { isClosedWithPlaceSql } from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import type { ClosedTimes } from '../../../shared/rules/closed-times.ts'
import type { Rules } from '../../../shared/rules/rules.ts'
import {
  placeRulesJson,
  type RulePlace,
  ruleRowsSql,
  rulesVersionFields,
} from '../../../shared/rules/rules-shape.ts'
import { dataBodyText } from '../../../shared/schemas/json.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { resolveAffectedBookings } from '../affected-bookings/resolve-affected-bookings.ts'
import { requireVersion } from '../rows/preconditions.ts'
import { lockRow, updateRow } from '../rows/rows.ts'

type SetRulesInput = InputOf<'buildings.set-rules'>

export const ruleHandlers: Handlers<`${RulePlace}.set-rules`> = {
  'buildings.set-rules': createRulesHandler('buildings'),
  'locations.set-rules': createRulesHandler('locations'),
  'bookables.set-rules': createRulesHandler('bookables'),
}

function createRulesHandler(table: RulePlace) {
  const reply = dataBodyText(placeRulesJson(table))
  return async (write: Write, input: SetRulesInput) => {
    const { id, rules, version, in_the_way } = input
    if (in_the_way !== undefined) await resolveClosedTimes(write, table, input)
    const row = await lockRow(write, table, id)
    await requireVersion(write, rulesVersionFields[table], id, version)
    await refuseUnknownGroups(write, rules)
    await refuseUnknownApprovers(write, rules, row.row['rules'] as Rules | null)
    const fields = { rules: Object.keys(rules).length > 0 ? JSON.stringify(rules) : null }
    await updateRow(write, row, fields, `${table}.set-rules`)
    return write.reply(reply, `${ruleRowsSql(table)} WHERE ${table}.id = ?`, [id])
  }
}

// Resolves the bookings in the times that this write closes. If claims remain in times that were already
// closed, an administrator chose that earlier, so they are not asked again.
async function resolveClosedTimes(
  write: Write,
  table: RulePlace,
  { id, rules, ...resolutionInput }: SetRulesInput,
) {
  const select = `SELECT rules -> 'closed' AS closed FROM ${table} WHERE id = ?`
  const present = await write.first<{ closed: ClosedTimes[] | null }>(select, [id])
  const before = present?.closed ?? []
  const times = (rules.closed ?? []).filter(
    ({ from, to }) => !before.some((each) => each.from === from && each.to === to),
  )
  if (times.length === 0) return
  const rows = `${ruleRowsSql('bookables')} WHERE ${table}.id = ? AND ${isClosedWithPlaceSql(table)}`
  const ids = await write.ids(`SELECT bookables.id FROM ${rows}`, [id])
  await resolveAffectedBookings(write, { ids, times }, resolutionInput)
}

async function refuseUnknownGroups(
  write: Write,
  { group_ids, approvers, book_for_others }: Rules,
): Promise<void> {
  const asked = {
    group_ids: group_ids ?? [],
    'approvers.group_ids': approvers?.group_ids ?? [],
    'book_for_others.group_ids': book_for_others?.group_ids ?? [],
  }
  const all = Object.values(asked).flat()
  if (all.length === 0) return
  // Locks the groups to which the rules refer, so that nobody deletes them in the meantime.
  const found = await write.ids(
    'SELECT id FROM groups WHERE id = ANY (?::bigint[]) ORDER BY id FOR KEY SHARE',
    [all],
  )
  refuseUnknown(asked, found, (id) => message`There is no group with the id ${id}.`)
}

// Present approvers can stay after they are deactivated, so that the other rules can still be saved.
async function refuseUnknownApprovers(
  write: Write,
  { approvers }: Rules,
  present: Rules | null,
): Promise<void> {
  const asked = { 'approvers.user_ids': approvers?.user_ids ?? [] }
  const found = await write.ids(
    'SELECT id FROM users WHERE id = ANY (?::bigint[]) AND deactivated_at IS NULL',
    [asked['approvers.user_ids']],
  )
  const known = [...found, ...(present?.approvers?.user_ids ?? [])]
  refuseUnknown(asked, known, (id) => message`There is no active person with the id ${id}.`)
}

function refuseUnknown(asked: Record<string, number[]>, found: number[], say: (id: number) => Message) {
  const errors = Object.entries(asked).flatMap(([name, ids]): Array<[string, Message[]]> => {
    const unknown = [...new Set(ids)].filter((id) => !found.includes(id)).sort((a, b) => a - b)
    return unknown.length > 0 ? [[name, unknown.map(say)]] : []
  })
  if (errors.length > 0) throw invalidFields(Object.fromEntries(errors))
}
