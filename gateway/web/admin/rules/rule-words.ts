// Rules in sentences of the audit log and of refused bookings. One without words here does not compile.
import type { RULE_REFUSALS } from '../../../../shared/messages/refusal-kinds.ts'
import type { RuleName } from '../../../../shared/rules/rules.ts'
import { type Sentence, sentence } from '../../locales/translate.ts'

/** As the audit log names what a change of rules has changed. */
export const RULES_IN_SENTENCES: Record<RuleName | 'closed', Sentence> = {
  opening_hours: sentence`opening hours`,
  days_ahead_max: sentence`how far ahead`,
  minutes_min: sentence`shortest booking`,
  minutes_max: sentence`longest booking`,
  bookings_ahead_max: sentence`bookings per person`,
  one_at_a_time: sentence`one desk at a time`,
  one_desk_a_day: sentence`one desk a day`,
  group_ids: sentence`groups`,
  approvers: sentence`approvers`,
  check_in: sentence`check-in`,
  closed: sentence`closed times`,
}

/** As the audit log says which rules a booking has overridden, by their refusals. */
export const BROKEN_RULES: Record<(typeof RULE_REFUSALS)[number], Sentence> = {
  closed: sentence`closed`,
  not_for_this_user: sentence`not for this person`,
  outside_opening_hours: sentence`outside opening hours`,
  too_far_ahead: sentence`too far ahead`,
  too_short: sentence`too short`,
  too_long: sentence`too long`,
  needs_approval: sentence`needs approval`,
  too_many_bookings: sentence`too many bookings`,
  already_booked: sentence`already booked`,
  already_booked_that_day: sentence`already booked that day`,
}
