// What belongs to one user, replaced as a set: groups, which are created where they are missing, and license plates.
import type { Transaction } from '../../context.ts'

export async function setGroups(trx: Transaction, userId: number, names: string[]): Promise<void> {
  await trx.raw(
    'INSERT INTO groups (name) SELECT DISTINCT unnest(?::text[]) AS name ORDER BY name ON CONFLICT DO NOTHING',
    [names],
  )
  await trx.raw(
    `DELETE FROM group_members USING groups
     WHERE group_members.user_id = ? AND groups.id = group_members.group_id AND groups.name <> ALL(?::text[])`,
    [userId, names],
  )
  await trx.raw(
    `INSERT INTO group_members (group_id, user_id) SELECT id, ? FROM groups WHERE name = ANY(?::text[])
     ON CONFLICT DO NOTHING`,
    [userId, names],
  )
}

// A booking keeps the plate that it was made with, also when the vehicle is gone: whoever guards the parking spot needs it.
export async function setPlates(trx: Transaction, userId: number, plates: string[]): Promise<void> {
  await trx.raw('DELETE FROM vehicles WHERE user_id = ? AND license_plate <> ALL(?::text[])', [
    userId,
    plates,
  ])
  await trx.raw(
    `INSERT INTO vehicles (user_id, license_plate) SELECT ?, unnest(?::text[]) ON CONFLICT DO NOTHING`,
    [userId, plates],
  )
}
