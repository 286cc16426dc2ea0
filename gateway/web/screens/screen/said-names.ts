// What a screen may say about people, as SQL of a statement in which `screens.names` is its setting. What it may not say
// never leaves the database, so nothing after it can show it.
import { EVENT_CLASSIFICATIONS } from '../../../../shared/events/events.ts'
import { isShown, shownName } from '../../../../shared/people/shown-names.ts'

const { private: isPrivate, confidential } = EVENT_CLASSIFICATIONS

/** A place that is booked for a guest says neither who the guest is nor who has booked it. */
export const IS_FOR_NO_GUEST = 'claims.guest_name IS NULL AND claims.guest_email IS NULL'

/** The name or initials of `people`; null for somebody whom the screen does not name. */
export const whoSql = (condition = 'true'): string => shownName('people', 'screens.names', condition)

/** What an event is called; `people` is its organizer. */
export const TITLE = `CASE WHEN screens.names = 'full' AND events.classification NOT IN (${isPrivate}, ${confidential})
  AND ${isShown('people')} THEN events.name END`
