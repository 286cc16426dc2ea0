// Says who has decided a request already, and how.
import { roleOfActor } from '../../../shared/audit/actors.ts'
import { type Message, message, type Value } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { isHiddenFrom } from '../../../shared/people/visibility.ts'
import type { Write } from '../../runtime/write.ts'
import type { Hold, HoldState } from '../claims/holds.ts'

export async function refuseDecided(write: Write, { id, state, expiresAt }: Hold): Promise<void> {
  if (state === 'pending' && expiresAt > write.now) return
  const decided = state === 'pending' ? 'lapsed' : state
  throw new Refusal('request_decided', describe(decided, await findDecider(write, id)))
}

type Decider = { person: string | null; isHidden: boolean; admin: string | null }

/** People do not learn an administrator's e-mail address, nor the name of a person who hides from them. */
async function findDecider(write: Write, id: number): Promise<Value | null> {
  const { person, isHidden, admin } = await write.only<Decider>(
    `SELECT users.name AS person, ${isHiddenFrom('users.id', 'CAST(:reader AS bigint)')} AS "isHidden", admins.email AS admin
     FROM holds
     LEFT JOIN users ON users.id = decided_by_user_id LEFT JOIN admins ON admins.id = decided_by_admin_id
     WHERE holds.id = :id`,
    { id, reader: write.userId ?? null },
  )
  if (person !== null) return isHidden ? roleOfActor('user') : person
  return admin !== null && write.userId !== undefined ? roleOfActor('admin') : admin
}

function describe(state: Exclude<HoldState, 'pending'>, by: Value | null): Message {
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
