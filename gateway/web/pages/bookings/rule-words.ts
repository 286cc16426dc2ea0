// The wording of a place's rules, in forms, in the audit log and in refusals. If the wording of a rule is
// missing here, the code does not compile.
import type pg from 'pg'
import {
  countedMessage,
  type Message,
  type MessageValue,
  message,
} from '../../../../shared/messages/message.ts'
import { isBookingRule, type REMEDIES, type RuleRefusal } from '../../../../shared/messages/refusal-kinds.ts'
import type { RuleName, Rules } from '../../../../shared/rules/rules.ts'
import { listRows } from '../../../reads/rows/rows.ts'
import { plural, type Sentence, sentence, t, toWords, translate } from '../../locales/translate.ts'

type RuleWords<Value> = {
  label: Sentence
  /** The words with which the audit log names a changed rule. */
  inSentence: Sentence
} & ([Value] extends [number]
  ? { hint: Sentence; format(value: number): string }
  : [Value] extends [boolean]
    ? { hint: Sentence }
    : unknown)

const formatMinutes = (minutes: number) => plural(minutes, '# minute', '# minutes')

export const RULE_WORDS: { [Name in RuleName]: RuleWords<NonNullable<Rules[Name]>> } = {
  opening_hours: { label: sentence`Opening hours`, inSentence: sentence`opening hours` },
  slots: { label: sentence`Slots`, inSentence: sentence`slots` },
  slot_only: {
    label: sentence`Only whole slots`,
    inSentence: sentence`only whole slots`,
    hint: sentence`A booking is exactly one slot or several adjoining ones. Without slots, this has no effect.`,
  },
  days_ahead_max: {
    label: sentence`Days ahead`,
    inSentence: sentence`how far ahead`,
    hint: sentence`How many days ahead a booking may end; 0 is today.`,
    format: (days) => t`at most ${days}`,
  },
  minutes_min: {
    label: sentence`Shortest booking`,
    inSentence: sentence`shortest booking`,
    hint: sentence`In minutes.`,
    format: formatMinutes,
  },
  minutes_max: {
    label: sentence`Longest booking`,
    inSentence: sentence`longest booking`,
    hint: sentence`In minutes.`,
    format: formatMinutes,
  },
  bookings_ahead_max: {
    label: sentence`Bookings per person`,
    inSentence: sentence`bookings per person`,
    hint: sentence`How many current and upcoming bookings of one type a person may have.`,
    format: (number) => t`at most ${number} current and upcoming`,
  },
  one_at_a_time: {
    label: sentence`One desk at a time`,
    inSentence: sentence`one desk at a time`,
    hint: sentence`A person can book only one desk at a time. Bookings for guests do not count.`,
  },
  one_desk_a_day: {
    label: sentence`One desk a day`,
    inSentence: sentence`one desk a day`,
    hint: sentence`A person can book only one desk on a day, and only one parking spot. Meeting rooms and bookings for guests do not count.`,
  },
  group_ids: { label: sentence`Groups`, inSentence: sentence`groups` },
  approvers: { label: sentence`Approvers`, inSentence: sentence`approvers` },
  book_for_others: { label: sentence`Booking for others`, inSentence: sentence`booking for others` },
  check_in: { label: sentence`Check-in`, inSentence: sentence`check-in` },
}

/** Names a changed rule for the audit log. A rule of another release may be unknown. */
export function nameRule(name: string): string {
  if (name === 'closed') return t`closed times`
  return translate(Object.hasOwn(RULE_WORDS, name) ? RULE_WORDS[name as RuleName].inSentence : toWords(name))
}

/** The words for a person who books. They replace the message, which addresses programs and administrators. */
export type RefusalForPerson = (detail: Message, reads: pg.Pool) => Message | Promise<Message>

type RefusalWords = {
  /** The words with which the audit log names an overridden rule. */
  overridden: Sentence
  /** The words for a skipped day when several days were booked. */
  skipped: Sentence
  /** The words for a person who books; null if the message suits everybody. */
  own: RefusalForPerson | null
}

export const getMessageValue = ({ values = [] }: Message, index: number): MessageValue => values[index] ?? ''

const describeAlreadyBooked: RefusalForPerson = (detail) =>
  message`You already have ${getMessageValue(detail, 0)}. Cancel it first, or choose another time.`

export const NOT_POSSIBLE = sentence`not possible`

export const REFUSAL_WORDS: Record<RuleRefusal, RefusalWords> = {
  closed: { overridden: sentence`closed`, skipped: sentence`closed`, own: null },
  not_for_this_user: { overridden: sentence`not for this person`, skipped: NOT_POSSIBLE, own: addGroupNames },
  outside_opening_hours: {
    overridden: sentence`outside opening hours`,
    skipped: sentence`closed`,
    own: null,
  },
  outside_slots: { overridden: sentence`outside slots`, skipped: NOT_POSSIBLE, own: null },
  too_far_ahead: { overridden: sentence`too far ahead`, skipped: sentence`too far ahead`, own: null },
  too_short: { overridden: sentence`too short`, skipped: NOT_POSSIBLE, own: null },
  too_long: { overridden: sentence`too long`, skipped: NOT_POSSIBLE, own: null },
  needs_approval: { overridden: sentence`needs approval`, skipped: NOT_POSSIBLE, own: null },
  user_away: { overridden: sentence`away`, skipped: sentence`away`, own: null },
  too_many_bookings: {
    overridden: sentence`too many bookings`,
    skipped: sentence`too many bookings`,
    own: (detail) =>
      countedMessage(
        detail.count ?? 0,
        'You can have # booking of this kind at a time in {0}. Cancel it first, or wait until it is over.',
        'You can have # bookings of this kind at a time in {0}. Cancel one first, or wait until one is over.',
        getMessageValue(detail, 1),
      ),
  },
  already_booked: {
    overridden: sentence`already booked`,
    skipped: sentence`another booking at that time`,
    own: describeAlreadyBooked,
  },
  already_booked_that_day: {
    overridden: sentence`already booked that day`,
    skipped: sentence`another booking on that day`,
    own: describeAlreadyBooked,
  },
}

/** Names an overridden rule for the audit log. A rule of another release may be unknown. */
export const nameBrokenRule = (code: string): string =>
  translate(isBookingRule(code) ? REFUSAL_WORDS[code].overridden : toWords(code))

type WaitlistEndingRefusal = {
  [Code in RuleRefusal]: (typeof REMEDIES)[Code] extends 'moving_the_other_booking' ? Code : never
}[RuleRefusal]

const WAITLIST_END_SENTENCES: Record<WaitlistEndingRefusal, (name: string, when: string) => string> = {
  already_booked: (name, when) =>
    t`You are no longer waiting for ${name}, ${when}, because you have another booking at that time.`,
  already_booked_that_day: (name, when) =>
    t`You are no longer waiting for ${name}, ${when}, because you have another booking on that day.`,
}

/** Says that a person was removed from a waitlist because of another booking of theirs. */
export const explainEndOfWaitlistEntry = (code: string, name: string, when: string): string =>
  (WAITLIST_END_SENTENCES[code as WaitlistEndingRefusal] ?? WAITLIST_END_SENTENCES.already_booked)(name, when)

/** Adds the names of groups to a refusal whose rule contains only their ids. */
async function addGroupNames(detail: Message, reads: pg.Pool): Promise<Message> {
  const name = getMessageValue(detail, 0)
  const ids = String(getMessageValue(detail, 1)).split(', ').map(Number)
  const groups = await listRows<{ name: string }>(
    reads,
    'SELECT name FROM groups_of_rules WHERE id = ANY($1::bigint[]) ORDER BY lower(name), id',
    [ids],
  )
  if (groups.length === 0) return message`Only members of certain groups can book ${name}.`
  const names = groups.map((group) => group.name).join(', ')
  return countedMessage(
    groups.length,
    'Only members of the group {1} can book {0}.',
    'Only members of the groups {1} can book {0}.',
    name,
    names,
  )
}
