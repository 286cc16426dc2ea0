// Refusals in the words of the person who asks: the workers speak to programs and administrators of “the user” and of ids.
import type pg from 'pg'
import { counted, type Message, message, type Value } from '../../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../../shared/messages/refusal.ts'
import { listRows } from '../../../reads/rows/rows.ts'

type Words = (detail: Message, reads: pg.Pool) => Message | Promise<Message>

const valueIn = ({ values = [] }: Message, index: number): Value => values[index] ?? ''

const alreadyHas: Words = (detail) =>
  message`You already have ${valueIn(detail, 0)}. Cancel it first, or choose another time.`

const WORDS: Partial<Record<RefusalCode, Words>> = {
  not_for_this_user: nameGroups,
  already_booked: alreadyHas,
  already_booked_that_day: alreadyHas,
  too_many_bookings: (detail) =>
    counted(
      detail.count ?? 0,
      'You can have # booking of this kind at a time in {0}. Cancel it first, or wait until it is over.',
      'You can have # bookings of this kind at a time in {0}. Cancel one first, or wait until one is over.',
      valueIn(detail, 1),
    ),
  too_many_open_requests: (detail) =>
    message`You can have at most ${valueIn(detail, 0)} requests that wait for a decision.`,
  bookable_blocked: (detail) => message`${valueIn(detail, 0)} cannot be booked at the moment.`,
  event_cancelled: () => message`The meeting is cancelled.`,
  event_ended: () => message`The meeting is over.`,
  too_large: () => message`This form is too long.`,
  personal_token: () => message`Only the person who booked can change it.`,
}

export async function inOwnWords(refusal: Refusal, reads: pg.Pool): Promise<Refusal> {
  const words = WORDS[refusal.code]
  const { code, detail, errors, members } = refusal
  return words ? new Refusal(code, await words(detail, reads), { errors, members }) : refusal
}

/** The rule has the ids of the groups. */
async function nameGroups(detail: Message, reads: pg.Pool): Promise<Message> {
  const name = valueIn(detail, 0)
  const ids = String(valueIn(detail, 1)).split(', ').map(Number)
  const groups = await listRows<{ name: string }>(
    reads,
    'SELECT name FROM groups_of_rules WHERE id = ANY($1::bigint[]) ORDER BY lower(name), id',
    [ids],
  )
  if (groups.length === 0) return message`Only members of certain groups can book ${name}.`
  const names = groups.map((group) => group.name).join(', ')
  return counted(
    groups.length,
    'Only members of the group {1} can book {0}.',
    'Only members of the groups {1} can book {0}.',
    name,
    names,
  )
}
