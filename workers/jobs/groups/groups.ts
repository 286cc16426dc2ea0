// Groups: created, renamed, deleted, and given other members. Imports of users write groups too, so these writes are
// refused while one runs. The change feed has an `updated` of the group when its members change.
import { CREATED } from '../../../shared/changes/former.ts'
import { selectGroup } from '../../../shared/groups/groups.ts'
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import { listNames, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import { groupJson } from '../../../shared/users/users.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import { type AuditedRow, type Handlers, ReplyWithETag, type Write } from '../../runtime/write.ts'
import { requireMatch } from '../rows/preconditions.ts'

const ROW = 'groups.id, to_jsonb(groups) AS row'
const PLACES_SHOWN_MAX = 3

export const groupHandlers: Handlers<`groups.${string}`> = {
  async 'groups.create'(write, { name }) {
    await refuseDuringImport(write.trx)
    return replyWithGroup(write, await createGroup(write, name))
  },

  /** A change without a name leaves the row as it is, but is still in the audit log. */
  async 'groups.update'(write, { id, if_match, name = null }) {
    const before = await lockGroup(write, id, 'FOR NO KEY UPDATE')
    await requireMatch(write, if_match, selectGroup('?'), [id])
    await renameGroup(write, id, before, name)
    return replyWithGroup(write, id)
  },

  /** Rules that name a group lock it first (places/set-rules.ts), so none can name it once it is deleted. */
  async 'groups.delete'(write, { id, if_match }) {
    const before = await lockGroup(write, id, 'FOR UPDATE')
    await requireMatch(write, if_match, selectGroup('?'), [id])
    await deleteGroup(write, id, before)
    return null
  },

  /** Deactivated members are in no listing, so they stay. */
  async 'groups.set-members'(write, { id, user_ids }) {
    await lockGroup(write, id, 'FOR NO KEY UPDATE')
    await refuseNotActive(write, user_ids)
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

/** The answer of GET, and its ETag. */
async function replyWithGroup(write: Write, id: number) {
  const text = await write.reply(dataText(groupJson), 'groups WHERE groups.id = ?', [id])
  return new ReplyWithETag(text, etagOf(text))
}

type Row = AuditedRow['row']

/** `provided`: what the audit log shows beside the columns of groups. */
export async function createGroup(write: Write, name: string, provided = {}): Promise<number> {
  const sql = `INSERT INTO groups (name) VALUES (?) RETURNING ${ROW}`
  const { id, row } = await write.only<AuditedRow>(sql, [name])
  await write.audit({ action: 'groups.create', id, former: CREATED, after: { ...row, ...provided } })
  return id
}

export async function renameGroup(
  write: Write,
  id: number,
  before: Row,
  name: string | null,
  provided = {},
): Promise<void> {
  const former = await write.readFormer('groups', [id])
  const sql = `UPDATE groups SET name = coalesce(?, name) WHERE id = ? RETURNING ${ROW}`
  const { row: after } = await write.only<AuditedRow>(sql, [name, id])
  await write.audit({ action: 'groups.update', id, former, before, after: { ...after, ...provided } })
}

/** The group must be locked for update. */
export async function deleteGroup(write: Write, id: number, before: Row): Promise<void> {
  await refuseInRules(write, id)
  const former = await write.readFormer('groups', [id])
  await write.run('DELETE FROM groups WHERE id = ?', [id])
  await write.audit({ action: 'groups.delete', id, former, before })
}

export async function lockGroup(write: Write, id: number, strength: 'FOR NO KEY UPDATE' | 'FOR UPDATE') {
  await refuseDuringImport(write.trx)
  const missing = message`There is no group with this id.`
  const sql = `SELECT ${ROW} FROM groups WHERE id = ? ${strength}`
  return (await write.requireRow<AuditedRow>(sql, [id], missing)).row
}

async function refuseNotActive(write: Write, ids: number[]): Promise<void> {
  // Locked as a foreign key locks them, so that nobody is deactivated or erased before they are members.
  const found = await write.ids(
    `SELECT id FROM users WHERE id = ANY (?::bigint[]) AND deactivated_at IS NULL AND NOT is_anonymous
     ORDER BY id FOR KEY SHARE`,
    [ids],
  )
  const active = new Set(found)
  const unknown = [...new Set(ids)].filter((id) => !active.has(id))
  if (unknown.length === 0) return
  const named = listNames(unknown.map(String), NAMED_MAX)
  throw invalid({ user_ids: [message`There is no active person with these ids: ${named}.`] })
}

const NAMED_MAX = 20

const PLACES = ['buildings', 'locations', 'bookables'].map(
  (table) => `SELECT name FROM ${table}
    WHERE ((rules -> 'group_ids')::jsonb @> to_jsonb(CAST(:id AS bigint))
      OR (rules #> '{approvers,group_ids}')::jsonb @> to_jsonb(CAST(:id AS bigint))) ${table === 'bookables' ? 'AND deleted_at IS NULL' : ''}`,
)

/** A token that is limited to buildings is not told which places these are. */
async function refuseInRules(write: Write, id: number): Promise<void> {
  const places = await write.all<{ name: string }>(`${PLACES.join(' UNION ALL ')} ORDER BY name`, { id })
  if (places.length === 0) return
  const names = listNames(
    places.map(({ name }) => name),
    PLACES_SHOWN_MAX,
  )
  const detail =
    write.buildingIds === undefined
      ? message`The rules of ${names} name this group. Change them first.`
      : message`The rules of a place name this group. Change them first.`
  throw new Refusal('in_use', detail)
}
