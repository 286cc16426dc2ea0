// The channels over which Berth informs people about their bookings: mails and pushes (notifications to browsers). Both
// follow the same rules. Each channel has its own queue and its own record of what it last said, so that neither waits
// for the other.
import { PERSON_MAILS } from '../../../shared/people/people.ts'

export type Channel = {
  /** The table of messages that wait to be sent. */
  queue: 'mails' | 'pushes'
  /** The table of the bookings as the last message of this channel described them. */
  told: 'told_bookings' | 'pushed_bookings'
  /**
   * SQL for the kinds of messages that a person does not want. Reads a row of person_settings, which may be missing.
   */
  refusedKindsSql: string
  /** SQL for the actions that cause a confirmation even if somebody else did them. */
  confirmedActions: string
  /** Changes older than this cause no message. */
  changeAgeMax: string
}

export const MAIL_CHANNEL: Channel = {
  queue: 'mails',
  told: 'told_bookings',
  refusedKindsSql: "coalesce(muted_mails, '{}')",
  confirmedActions: "'created', 'restored'",
  changeAgeMax: "interval '1 day'",
}

export const PUSH_CHANNEL: Channel = {
  queue: 'pushes',
  told: 'pushed_bookings',
  refusedKindsSql: `ARRAY(SELECT unnest(CAST('{${PERSON_MAILS.join(',')}}' AS text[])) EXCEPT SELECT unnest(pushed_kinds))`,
  // A restored booking causes a message about a change, because a push has said that the booking was cancelled.
  confirmedActions: "'created'",
  changeAgeMax: "interval '1 hour'",
}
