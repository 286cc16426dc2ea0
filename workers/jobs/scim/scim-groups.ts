// Creates, changes and deletes groups for identity providers. A request that adds and removes several members makes a
// single change of the group.
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import { literalMessage, message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import type { MemberOperation } from '../../../shared/scim/scim-jobs.ts'
import { IS_VISIBLE_SQL, SCIM_USERS_TABLE, selectScimGroupsSql } from '../../../shared/scim/scim-shape.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { createGroup, deleteGroup, lockGroup, renameGroup } from '../groups/groups.ts'
import { requireMatch } from '../rows/preconditions.ts'
import { createIdReply } from '../rows/rows.ts'
import { reportInvalidFieldsAsTaken } from './uniqueness.ts'

const NAMED_IDS_MAX = 20

export const scimGroupHandlers: Handlers<`scim.${string}-group`> = {
  async 'scim.create-group'(write, { name, external_id, members = [] }) {
    await refuseDuringImport(write.trx)
    const id = await reportInvalidFieldsAsTaken(async () => {
      await refuseTakenGroupName(write, name, null)
      return createGroup(write, name, { external_id })
    })
    await saveExternalId(write, id, external_id)
    await changeMembers(write, id, members)
    return createIdReply(id)
  },

  async 'scim.update-group'(write, { id, if_match, name, external_id, members = [] }) {
    const before = await lockGroup(write, id, 'FOR NO KEY UPDATE')
    await requireMatch(write, if_match, selectScimGroupsSql('?', 'groups.id = ?'), [write.baseUrl, id])
    const formerId = await readExternalId(write, id)
    const provided = { external_id: external_id === undefined ? formerId : external_id }
    const isRenamed = name !== undefined && name !== before.name
    if (isRenamed || provided.external_id !== formerId) {
      await reportInvalidFieldsAsTaken(async () => {
        if (isRenamed) await refuseTakenGroupName(write, name, id)
        await renameGroup(write, id, { ...before, external_id: formerId }, name ?? null, provided)
      })
    }
    await saveExternalId(write, id, external_id)
    await changeMembers(write, id, members)
    return createIdReply(id)
  },

  async 'scim.delete-group'(write, { id, if_match }) {
    const before = await lockGroup(write, id, 'FOR UPDATE')
    await requireMatch(write, if_match, selectScimGroupsSql('?', 'groups.id = ?'), [write.baseUrl, id])
    await deleteGroup(write, id, before)
    return null
  },
}

/** Refuses a name that another group has. Identity providers look up groups by name, ignoring letter case. */
async function refuseTakenGroupName(write: Write, name: string, id: number | null): Promise<void> {
  const sql =
    'SELECT id FROM groups WHERE lower(name) = lower(:name) AND id IS DISTINCT FROM CAST(:id AS bigint) LIMIT 1'
  if (await write.first(sql, { name, id }))
    throw invalidFields({ name: [message`Another group has this name.`] })
}

async function readExternalId(write: Write, id: number): Promise<string | null> {
  const sql = 'SELECT external_id FROM provisioned_groups WHERE group_id = ?'
  return (await write.first<{ external_id: string | null }>(sql, [id]))?.external_id ?? null
}

async function saveExternalId(write: Write, id: number, externalId: string | null | undefined) {
  if (externalId === undefined) return
  await write.run(
    `INSERT INTO provisioned_groups (group_id, external_id) VALUES (?, ?)
     ON CONFLICT (group_id) DO UPDATE SET external_id = excluded.external_id`,
    [id, externalId],
  )
}

/** Adds and removes members. If an operation changes nothing, because it is a repetition, it is not recorded again. */
async function changeMembers(write: Write, id: number, operations: MemberOperation[]): Promise<void> {
  if (operations.length === 0) return
  await requireUsers(
    write,
    operations.flatMap(({ op, user_ids }) => (op === 'remove' ? [] : user_ids)),
  )
  const former = await write.readFormer('groups', [id])
  const before = new Set(await findMembers(write, id))
  const after = new Set(before)
  for (const { op, user_ids } of operations) {
    if (op === 'set') after.clear()
    for (const each of user_ids) op === 'remove' ? after.delete(each) : after.add(each)
  }
  const added = [...after].filter((each) => !before.has(each))
  const removed = [...before].filter((each) => !after.has(each))
  if (added.length + removed.length === 0) return
  await write.run('DELETE FROM group_members WHERE group_id = ? AND user_id = ANY (?::bigint[])', [
    id,
    removed,
  ])
  await write.run(
    'INSERT INTO group_members (group_id, user_id) SELECT ?, unnest(?::bigint[]) ON CONFLICT DO NOTHING',
    [id, added],
  )
  await write.audit({ action: 'groups.set-members', id, former, after: { added, removed } })
}

/** Returns the members whom the identity provider can see. The provider neither adds nor removes others. */
const findMembers = (write: Write, id: number) =>
  write.ids(
    `SELECT users.id FROM group_members JOIN ${SCIM_USERS_TABLE} ON users.id = group_members.user_id
     WHERE group_id = ? AND ${IS_VISIBLE_SQL}`,
    [id],
  )

// Locks the users in the same way as a foreign key, so that nobody is erased before they become members.
async function requireUsers(write: Write, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const found = await write.ids(
    `SELECT users.id FROM ${SCIM_USERS_TABLE} WHERE users.id = ANY (?::bigint[]) AND ${IS_VISIBLE_SQL}
     ORDER BY users.id FOR KEY SHARE OF users`,
    [ids],
  )
  const known = new Set(found)
  const unknown = [...new Set(ids)].filter((id) => !known.has(id))
  if (unknown.length === 0) return
  const named = unknown.slice(0, NAMED_IDS_MAX).join(', ')
  throw invalidFields({ members: [literalMessage(`There are no users with these ids: ${named}.`)] })
}
