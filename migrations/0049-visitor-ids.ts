// Adds the id that an event's visitor has in the API. The id is drawn from the sequence of user ids, so that it never
// equals a user's id: a client that sends it back as a user id must not invite somebody else. Upkeep adds ids to
// existing visitors, and to those that the previous release still adds.
import { sql } from './steps/sql.ts'

export const up = sql`ALTER TABLE event_attendees ADD COLUMN visitor_id bigint`

export const down = sql`ALTER TABLE event_attendees DROP COLUMN visitor_id`
