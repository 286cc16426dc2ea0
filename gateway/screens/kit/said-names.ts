// What a screen may say about people, as SQL of a statement in which `screens.names` is its setting. What it may not say
// never leaves the database, so nothing after it can show it.
import { EVENT_CLASSIFICATIONS } from '../../../shared/events/events.ts'

const { private: isPrivate, confidential } = EVENT_CLASSIFICATIONS

// A screen is seen by strangers: who shows themselves to some people only is hidden here.
const IS_SHOWN = `people.id IS NOT NULL AND NOT EXISTS (
  SELECT FROM person_settings WHERE user_id = people.id AND visibility <> 'everybody')`

/** A place that is booked for a guest says neither who the guest is nor who has booked it. */
export const IS_FOR_NO_GUEST = 'claims.guest_name IS NULL AND claims.guest_email IS NULL'

const INITIALS = `(SELECT string_agg(upper(left(word, 1)), '' ORDER BY position)
  FROM regexp_split_to_table(btrim(people.name), '\\s+') WITH ORDINALITY AS words (word, position) WHERE position <= 3)`

/** The name or initials of `people`; null for somebody whom the screen does not name. */
export const whoSql = (condition = 'true'): string =>
  `CASE WHEN ${condition} AND ${IS_SHOWN} THEN CASE screens.names WHEN 'full' THEN people.name WHEN 'initials' THEN ${INITIALS} END END`

/** What an event is called; `people` is its organizer. */
export const TITLE = `CASE WHEN screens.names = 'full' AND events.classification NOT IN (${isPrivate}, ${confidential})
  AND ${IS_SHOWN} THEN events.name END`
