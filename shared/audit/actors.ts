// Names the actor of a change for readers. The audit log stores no name of a person who booked for themselves, so that an
// erasure leaves none behind.
import { type Message, message } from '../messages/message.ts'

/** SQL: the actor's name; for a person, their current name. `row` is a row of the audit log. */
export const actorName = (row: string): string => `(CASE WHEN ${row}.actor_type = 'user'
  THEN coalesce((SELECT users.name FROM users WHERE users.id = ${row}.actor_id), ${row}.actor_name) ELSE ${row}.actor_name END)`

// Roles instead of names: the person who made the change may be hidden, and the office as a whole is responsible.
const ROLES: Record<string, Message> = {
  admin: message`The office team`,
  user: message`A colleague`,
  token: message`A connected program`,
}

/** The only information about an actor that other people see. Every other type is Berth itself. */
export const roleOfActor = (type: string | null): Message => ROLES[type ?? ''] ?? message`Berth`
