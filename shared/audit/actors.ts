// Names who made a change. If a person booked for themselves, the audit log does not store their name, so that erasing
// the person leaves no name behind.
import { type Message, message } from '../messages/message.ts'

/** SQL for the name of the actor in a row of the audit log. If the actor is a person, this is their current name. */
export const actorNameSql = (row: string): string => `(CASE WHEN ${row}.actor_type = 'user'
  THEN coalesce((SELECT users.name FROM users WHERE users.id = ${row}.actor_id), ${row}.actor_name) ELSE ${row}.actor_name END)`

// Other people see the actor's role and no name: the person who made the change may be hidden, and the office as a
// whole is responsible.
const ROLES_BY_ACTOR_TYPE: Record<string, Message> = {
  admin: message`The office team`,
  user: message`A colleague`,
  token: message`A connected program`,
}

/**
 * The only information about an actor that other people see. Returns “Berth” for all other types, because Berth itself
 * acted.
 */
export const getActorRole = (type: string | null): Message =>
  ROLES_BY_ACTOR_TYPE[type ?? ''] ?? message`Berth`
