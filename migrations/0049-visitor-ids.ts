// The id of an event's visitor in the API. Drawn from the sequence of user ids, so that it never equals a
// user's: a client that sends it back as a user id must not invite somebody else. Upkeep adds ids to existing
// visitors, and to those that the previous release still adds.
import { sql } from './steps/sql.ts'

export const up = sql`ALTER TABLE event_attendees ADD COLUMN visitor_id bigint`

export const down = sql`ALTER TABLE event_attendees DROP COLUMN visitor_id`
