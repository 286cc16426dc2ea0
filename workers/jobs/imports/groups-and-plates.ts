// Replaces sets that belong to one user: groups, which are created if missing, and license plates.
import type { Author } from '../../../shared/audit/audit.ts'
import { NOWHERE } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES } from '../../../shared/changes/changes-shape.ts'
import { authorBindings, insertChanges, NAMED_AUTHOR } from '../../../shared/changes/record.ts'
import type { Transaction } from '../../runtime/context.ts'

/** `names` is a statement that selects the names, with the values that it binds. */
export async function ensureGroups(
  trx: Transaction,
  names: string,
  author: Author,
  values: Record<string, string[]> = {},
): Promise<void> {
  await trx.raw(
    `WITH groups AS (
       INSERT INTO groups (name) ${names} ORDER BY name ON CONFLICT DO NOTHING RETURNING *
     ) ${RECORD_GROUPS}`,
    { ...authorBindings(author), ...values },
  )
}

const RECORD_GROUPS = `${insertChanges(
  {
    type: "'group'",
    action: "'created'",
    id: 'groups.id',
    data: String(CHANGED_SHAPES.groups.json),
    previous: 'NULL',
    place: NOWHERE,
  },
  NAMED_AUTHOR,
)} FROM groups ORDER BY groups.id`

export async function setGroups(
  trx: Transaction,
  userId: number,
  names: string[],
  author: Author,
): Promise<void> {
  await ensureGroups(trx, 'SELECT DISTINCT unnest(CAST(:names AS text[])) AS name', author, { names })
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

// A booking keeps its license plate even if the vehicle is deleted, because parking attendants need it.
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
