// Creates, renames and deletes groups, and sets their members. Imports of users write groups too, so these writes are
// refused while an import runs. When members change, the change feed reports the group as `updated`.
import { NEWLY_CREATED } from '../../../shared/changes/former-state.ts'
import { selectGroupSql } from '../../../shared/groups/groups.ts'
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import { listNames, message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { dataBodyText } from '../../../shared/schemas/json.ts'
import { groupJson } from '../../../shared/users/users.ts'
import { computeEtag } from '../../../shared/utilities/etags.ts'
import { type AuditedRow, type Handlers, ReplyWithETag, type Write } from '../../runtime/write.ts'
import { requireMatch } from '../rows/preconditions.ts'

const GROUP_COLUMNS = 'groups.id, to_jsonb(groups) AS row'
const PLACES_SHOWN_MAX = 3
export const GROUP_NOT_FOUND = message`There is no group with this id.`

export const groupHandlers: Handlers<`groups.${'create' | 'delete' | 'set-members' | 'update'}`> = {
  async 'groups.create'(write, { name }) {
    await refuseDuringImport(write.trx)
    return replyWithGroup(write, await createGroup(write, name))
  },

  /** Renames a group. A change without a name leaves the row unchanged, but the audit log still records it. */
  async 'groups.update'(write, { id, if_match, name = null }) {
    const before = await lockGroup(write, id, 'FOR NO KEY UPDATE')
    await requireMatch(write, if_match, selectGroupSql('?'), [id])
    await renameGroup(write, id, before, name)
    return replyWithGroup(write, id)
  },

  /**
   * Deletes a group. Rules that refer to a group lock it first (places/set-rules.ts), so no rule can refer to a deleted
   * group.
   */
  async 'groups.delete'(write, { id, if_match }) {
    const before = await lockGroup(write, id, 'FOR UPDATE')
    await requireMatch(write, if_match, selectGroupSql('?'), [id])
    await deleteGroup(write, id, before)
    return null
  },

  /**
   * Replaces the members of a group. Deactivated members stay in the group, because the caller does not see them in any
   * listing.
   */
  async 'groups.set-members'(write, { id, user_ids }) {
    await lockGroup(write, id, 'FOR NO KEY UPDATE')
    await refuseInactiveUsers(write, user_ids)
    const former = await write.readFormer('groups', [id])
    const removed = await write.ids(
      `DELETE FROM group_members USING users
       WHERE group_id = :id AND users.id = user_id AND deactivated_at IS NULL AND user_id <> ALL (CAST(:user_ids AS bigint[]))
       RETURNING user_id AS id`,
      { id, user_ids },
    )
    const added = await write.ids(
      `INSERT INTO group_members (group_id, user_id) SELECT :id, unnest(CAST(:user_ids AS bigint[]))
       ON CONFLICT DO NOTHING RETURNING user_id AS id`,
      { id, user_ids },
    )
    await write.audit({ action: 'groups.set-members', id, former, after: { added, removed } })
    return { data: { added: added.length, removed: removed.length } }
  },
}

/** Returns a reply with what a GET of the group returns, and with its ETag. */
async function replyWithGroup(write: Write, id: number) {
  const text = await write.reply(dataBodyText(groupJson), 'groups WHERE groups.id = ?', [id])
  return new ReplyWithETag(text, computeEtag(text))
}

type GroupRow = AuditedRow['row']

/** Creates a group. `provided` contains what the audit log shows in addition to the columns of `groups`. */
export async function createGroup(write: Write, name: string, provided = {}): Promise<number> {
  const sql = `INSERT INTO groups (name) VALUES (?) RETURNING ${GROUP_COLUMNS}`
  const { id, row } = await write.only<AuditedRow>(sql, [name])
  await write.audit({ action: 'groups.create', id, former: NEWLY_CREATED, after: { ...row, ...provided } })
  return id
}

export async function renameGroup(
  write: Write,
  id: number,
  before: GroupRow,
  name: string | null,
  provided = {},
): Promise<void> {
  const former = await write.readFormer('groups', [id])
  const sql = `UPDATE groups SET name = coalesce(?, name) WHERE id = ? RETURNING ${GROUP_COLUMNS}`
  const { row: after } = await write.only<AuditedRow>(sql, [name, id])
  await write.audit({ action: 'groups.update', id, former, before, after: { ...after, ...provided } })
}

/** Deletes a group. Its row must be locked FOR UPDATE. */
export async function deleteGroup(write: Write, id: number, before: GroupRow): Promise<void> {
  await refuseGroupInRules(write, id)
  const former = await write.readFormer('groups', [id])
  await write.run('DELETE FROM groups WHERE id = ?', [id])
  await write.audit({ action: 'groups.delete', id, former, before })
}

export async function lockGroup(write: Write, id: number, strength: 'FOR NO KEY UPDATE' | 'FOR UPDATE') {
  await refuseDuringImport(write.trx)
  const sql = `SELECT ${GROUP_COLUMNS} FROM groups WHERE id = ? ${strength}`
  return (await write.requireRow<AuditedRow>(sql, [id], GROUP_NOT_FOUND)).row
}

async function refuseInactiveUsers(write: Write, ids: number[]): Promise<void> {
  // Locks the users in the same way as a foreign key, so that nobody is deactivated or erased before they become
  // members.
  const found = await write.ids(
    `SELECT id FROM users WHERE id = ANY (?::bigint[]) AND deactivated_at IS NULL AND NOT is_anonymous
     ORDER BY id FOR KEY SHARE`,
    [ids],
  )
  const active = new Set(found)
  const unknown = [...new Set(ids)].filter((id) => !active.has(id))
  if (unknown.length === 0) return
  const named = listNames(unknown.map(String), NAMED_IDS_MAX)
  throw invalidFields({ user_ids: [message`There is no active person with these ids: ${named}.`] })
}

const NAMED_IDS_MAX = 20

const PLACES_SQL = ['buildings', 'locations', 'bookables'].map(
  (table) => `SELECT name FROM ${table}
    WHERE ((rules -> 'group_ids')::jsonb @> to_jsonb(CAST(:id AS bigint))
      OR (rules #> '{approvers,group_ids}')::jsonb @> to_jsonb(CAST(:id AS bigint))
      OR (rules #> '{book_for_others,group_ids}')::jsonb @> to_jsonb(CAST(:id AS bigint))) ${table === 'bookables' ? 'AND deleted_at IS NULL' : ''}`,
)

/**
 * Refuses if rules refer to the group. A token that is limited to buildings does not learn which places have these
 * rules.
 */
async function refuseGroupInRules(write: Write, id: number): Promise<void> {
  const places = await write.all<{ name: string }>(`${PLACES_SQL.join(' UNION ALL ')} ORDER BY name`, { id })
  if (places.length === 0) return
  const names = listNames(
    places.map(({ name }) => name),
    PLACES_SHOWN_MAX,
  )
  const detail =
    write.buildingIds === undefined
      ? message`The rules of ${names} use this group. Change the rules first.`
      : message`The rules of a place use this group. Change the rules first.`
  throw new Refusal('in_use', detail)
}
