// Says who has decided a request already, and how.
import { type Message, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Write } from '../../runtime/write.ts'
import type { Hold, HoldState } from '../claims/holds.ts'

export async function refuseDecided(write: Write, { id, state, expiresAt }: Hold): Promise<void> {
  if (state === 'pending' && expiresAt > write.now) return
  const { by } = await write.only<{ by: string | null }>(
    `SELECT coalesce(users.name, admins.email) AS by FROM holds
     LEFT JOIN users ON users.id = decided_by_user_id LEFT JOIN admins ON admins.id = decided_by_admin_id
     WHERE holds.id = ?`,
    [id],
  )
  throw new Refusal('request_decided', describe(state === 'pending' ? 'lapsed' : state, by))
}

function describe(state: Exclude<HoldState, 'pending'>, by: string | null): Message {
  switch (state) {
    case 'approved':
      return by === null
        ? message`The request has been approved already.`
        : message`${by} has approved the request already.`
    case 'declined':
      return by === null
        ? message`The request has been declined already.`
        : message`${by} has declined the request already.`
    case 'withdrawn':
      return message`The request has been withdrawn.`
    case 'released':
      return message`The request is void: what it asked for cannot be booked any more.`
    case 'lapsed':
      return message`The request has lapsed: nobody decided in time.`
  }
}
