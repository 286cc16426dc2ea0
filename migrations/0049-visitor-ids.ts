// What the API calls a visitor of an event. Drawn from the sequence of users' ids, so that it is never a user's: a client that
// sends it back as a user's must not invite somebody else. Visitors who are there, and those whom the release before invites
// meanwhile, get theirs from upkeep.
import type { Knex } from 'knex'

export const up = (database: Knex) => database.raw('ALTER TABLE event_attendees ADD COLUMN visitor_id bigint')

export const down = (database: Knex) => database.raw('ALTER TABLE event_attendees DROP COLUMN visitor_id')
