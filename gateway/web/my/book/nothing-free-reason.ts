// Finds out whether rules forbid everything on a floor at a time, and names the reason. In this case, no
// other desk on that floor would help.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import {
  findBrokenRules,
  RULES_SQL,
  type RulesRow,
  toRuleFacts,
} from '../../../../shared/rules/broken-rules.ts'
import * as rows from '../../../reads/rows/rows.ts'
import type { Call } from '../../pages/page/page.ts'
import { rewordRefusalForPerson } from './reword-refusal.ts'
import type { BookedSpan } from './seats.ts'

// How many different sets of rules of a floor's places are checked. Few desks have rules of their own.
const RULE_SETS_MAX = 50

const RULE_SET_COLUMNS = { name: rows.textColumn('name'), rules: rows.column<RulesRow | null>('rules') }
// Selects the different sets of rules of a floor's places. $3 is the person.
const RULE_SETS_SQL = `(
  SELECT DISTINCT ON (coalesce(bookables.rules::text, '')) locations.name, ${RULES_SQL} AS rules
  FROM bookables ${rows.JOIN_PLACES} JOIN users ON users.id = $3
  WHERE bookables.location_id = $1 AND bookables.type = $2 AND bookables.deleted_at IS NULL
  LIMIT ${RULE_SETS_MAX}) AS different`

type FloorAndType = { location: number; type: number }

export async function findNothingFreeReason(
  { reads, requirePerson, now }: Call,
  { location, type }: FloorAndType,
  span: BookedSpan,
): Promise<Refusal | undefined> {
  if (span.to <= now) return new Refusal('validation_failed', message`This time is over.`)
  const different = await rows.selectRows(reads, RULE_SET_COLUMNS, RULE_SETS_SQL, [
    location,
    type,
    requirePerson().id,
  ])
  const broken = different.map(({ name, rules }) => {
    const facts = toRuleFacts(rules)
    const floor = facts && { ...facts, bookable: { ...facts.bookable, name } }
    return findBrokenRules(floor, span, now).find(({ code }) => code !== 'needs_approval')
  })
  const [first] = broken
  return first && broken.every((each): each is Refusal => each !== undefined)
    ? rewordRefusalForPerson(first, reads)
    : undefined
}
