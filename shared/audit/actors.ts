// Who made a change, as people read it. The audit log keeps no name of a person who booked for themselves, so that erasing
// them leaves none behind.
import { type Message, message } from '../messages/message.ts'

/** SQL: the actor's name, and for a person the name that they have now; `row` is a row of the audit log. */
export const actorName = (row: string): string => `(CASE WHEN ${row}.actor_type = 'user'
  THEN coalesce((SELECT users.name FROM users WHERE users.id = ${row}.actor_id), ${row}.actor_name) ELSE ${row}.actor_name END)`

// No names: the person who changed it may be hidden, and the office answers for what it does.
const ROLES: Record<string, Message> = {
  admin: message`The office team`,
  user: message`A colleague`,
  token: message`A connected program`,
}

/** All that other people learn of an actor; what has another type, Berth did by itself. */
export const roleOfActor = (type: string | null): Message => ROLES[type ?? ''] ?? message`Berth`
