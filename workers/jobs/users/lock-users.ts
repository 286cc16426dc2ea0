// Locks users, and reads them as the audit log stores them.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { isPersonSql } from '../../../shared/users/unknown-organizer.ts'
import type { Write } from '../../runtime/write.ts'

export type LockedUser = {
  id: number
  row: { extension_attributes: Record<string, string> }
  deactivated_at: string | null
}

const ACTIVE_USER_NOT_FOUND = message`There is no active person with this id.`

const AUDITED_USER = `users.id, users.deactivated_at, to_jsonb(users) - 'is_anonymous' || jsonb_build_object(
  'groups', ARRAY(
    SELECT groups.name FROM group_members JOIN groups ON groups.id = group_id WHERE user_id = users.id ORDER BY 1
  ),
  'license_plates', ARRAY(SELECT license_plate FROM vehicles WHERE user_id = users.id ORDER BY 1)
) AS row`

export async function lockUser(
  write: Write,
  id: number,
  missing = message`There is no person with this id.`,
): Promise<LockedUser> {
  const [found] = await lockUsers(write, [id])
  if (!found) throw new Refusal('not_found', missing)
  return found
}

/** Locks a user. Refuses a deactivated user as if they did not exist. */
export async function lockActiveUser(write: Write, id: number): Promise<LockedUser> {
  const found = await lockUser(write, id, ACTIVE_USER_NOT_FOUND)
  if (found.deactivated_at !== null) throw new Refusal('not_found', ACTIVE_USER_NOT_FOUND)
  return found
}

/** Locks the users in the order of their ids. */
export function lockUsers(write: Write, ids: number[]) {
  return write.all<LockedUser>(
    `SELECT ${AUDITED_USER} FROM users WHERE id = ANY(?::bigint[]) AND ${isPersonSql()} ORDER BY id FOR NO KEY UPDATE`,
    [ids],
  )
}
