// Why nothing on a floor can be booked at a time, if a rule forbids all of it: then no other desk there helps.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { findBrokenRules, RULES, type RulesRow, ruleFacts } from '../../../../shared/rules/broken-rules.ts'
import * as rows from '../../../reads/rows/rows.ts'
import type { Call } from '../../pages/page/page.ts'
import { inOwnWords } from './own-words.ts'
import type { Span } from './seats.ts'

// Few desks have rules of their own.
const DIFFERENT_MAX = 50

const FACTS = { name: rows.text('name'), rules: rows.column<RulesRow | null>('rules') }
// $3 is the person.
const DIFFERENT = `(
  SELECT DISTINCT ON (coalesce(bookables.rules::text, '')) locations.name, ${RULES} AS rules
  FROM bookables ${rows.JOIN_PLACES} JOIN users ON users.id = $3
  WHERE bookables.location_id = $1 AND bookables.type = $2 AND bookables.deleted_at IS NULL
  LIMIT ${DIFFERENT_MAX}) AS different`

type Asked = { location: number; type: number }

export async function findReason(
  { reads, requirePerson, now }: Call,
  { location, type }: Asked,
  span: Span,
): Promise<Refusal | undefined> {
  if (span.to <= now) return new Refusal('validation_failed', message`This time is over.`)
  const different = await rows.selectRows(reads, FACTS, DIFFERENT, [location, type, requirePerson().id])
  const broken = different.map(({ name, rules }) => {
    const facts = ruleFacts(rules)
    const floor = facts && { ...facts, bookable: { ...facts.bookable, name } }
    return findBrokenRules(floor, span, now).find(({ code }) => code !== 'needs_approval')
  })
  const [first] = broken
  return first && broken.every((each): each is Refusal => each !== undefined)
    ? inOwnWords(first, reads)
    : undefined
}
