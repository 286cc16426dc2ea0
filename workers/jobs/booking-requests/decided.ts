// Refuses a second decision on a request. The message says who decided the request and how.
import { getActorRole } from '../../../shared/audit/actors.ts'
import { type Message, type MessageValue, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { isHiddenFromSql } from '../../../shared/people/visibility.ts'
import type { Write } from '../../runtime/write.ts'
import type { Hold, HoldState } from '../claims/holds.ts'

export async function refuseDecidedRequest(write: Write, { id, state, expiresAt }: Hold): Promise<void> {
  if (state === 'pending' && expiresAt > write.now) return
  const decided = state === 'pending' ? 'lapsed' : state
  throw new Refusal('request_decided', describeDecision(decided, await findDecider(write, id)))
}

type Decider = { person: string | null; isHidden: boolean; admin: string | null }

/** Finds who decided a request. People never see an administrator's e-mail address, or the name of a person
 * who hides from them. */
async function findDecider(write: Write, id: number): Promise<MessageValue | null> {
  const { person, isHidden, admin } = await write.only<Decider>(
    `SELECT users.name AS person, ${isHiddenFromSql('users.id', 'CAST(:reader AS bigint)')} AS "isHidden", admins.email AS admin
     FROM holds
     LEFT JOIN users ON users.id = decided_by_user_id LEFT JOIN admins ON admins.id = decided_by_admin_id
     WHERE holds.id = :id`,
    { id, reader: write.userId ?? null },
  )
  if (person !== null) return isHidden ? getActorRole('user') : person
  return admin !== null && write.userId !== undefined ? getActorRole('admin') : admin
}

function describeDecision(state: Exclude<HoldState, 'pending'>, by: MessageValue | null): Message {
  switch (state) {
    case 'approved':
      return by === null
        ? message`The request has already been approved.`
        : message`${by} has already approved the request.`
    case 'declined':
      return by === null
        ? message`The request has already been declined.`
        : message`${by} has already declined the request.`
    case 'withdrawn':
      return message`The request has been withdrawn.`
    case 'released':
      return message`The request is void: the requested place can no longer be booked.`
    case 'lapsed':
      return message`The request has lapsed: nobody decided in time.`
  }
}
