// SQL for what a screen may show about people, according to its setting `screens.names`. Everything else
// stays in the database, so that no later code can show it.
import { EVENT_CLASSIFICATIONS } from '../../../../shared/events/events.ts'
import { isPersonShownSql, shownNameSql } from '../../../../shared/people/shown-names.ts'

const { private: isPrivate, confidential } = EVENT_CLASSIFICATIONS

/**
 * SQL condition that the booking is not for a guest. A booking for a guest shows neither the guest nor the person who
 * booked.
 */
export const HAS_NO_GUEST_SQL = 'claims.guest_name IS NULL AND claims.guest_email IS NULL'

/** SQL of the name or initials of `people`; null for a person whom the screen does not name. */
export const shownPersonSql = (condition = 'true'): string =>
  shownNameSql('people', 'screens.names', condition)

/** SQL of an event's title, as far as the screen may show it. `people` is the event's organizer. */
export const SHOWN_TITLE_SQL = `CASE WHEN screens.names = 'full' AND events.classification NOT IN (${isPrivate}, ${confidential})
  AND ${isPersonShownSql('people')} THEN events.name END`
