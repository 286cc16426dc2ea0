// Converts groups from identity providers to the fields of the jobs that save groups.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import type { MemberOperation } from '../../../shared/scim/scim-jobs.ts'
import { createScimRefusal } from './scim-errors.ts'
import {
  findMember,
  isObject,
  listAttributes,
  type PatchOperation,
  readPatchOperations,
} from './scim-patch.ts'

type GroupChanges = Omit<InputOf<'scim.update-group'>, 'id' | 'if_match'>
type NewGroup = InputOf<'scim.create-group'>

export function readNewGroup(body: unknown): NewGroup {
  const sent: GroupChanges = {}
  for (const { attribute, value } of listAttributes(body)) {
    if (attribute === 'members') sent.members = [{ op: 'set', user_ids: readMemberIds(value) }]
    else setAttribute(sent, attribute, value)
  }
  const { name, ...rest } = sent
  if (!name) throw createScimRefusal('invalidValue', 'displayName is required.')
  return { ...rest, name }
}

/** Reads a group from the body of a PUT, which clears omitted attributes. */
export function readWholeGroup(body: unknown): GroupChanges {
  return { external_id: null, members: [{ op: 'set', user_ids: [] }], ...readNewGroup(body) }
}

export function readGroupChanges(body: unknown, id: number): GroupChanges {
  const sent: GroupChanges = {}
  const members: MemberOperation[] = []
  for (const operation of readPatchOperations(body)) {
    if (operation.attribute === 'members') members.push(toMemberOperation(operation))
    else applyOperation(sent, operation, id)
  }
  return members.length > 0 ? { ...sent, members } : sent
}

const READ_ONLY_ATTRIBUTES = new Set(['id', 'meta'])

function applyOperation(sent: GroupChanges, { op, attribute, value }: PatchOperation, id: number): void {
  // Okta also sends the id, which does not change.
  if (READ_ONLY_ATTRIBUTES.has(attribute) && !(attribute === 'id' && String(value) === String(id)))
    throw createScimRefusal('mutability', `“${attribute}” is read-only.`)
  if (op !== 'remove') {
    setAttribute(sent, attribute, value)
    return
  }
  if (attribute === 'displayname') throw createScimRefusal('mutability', '“displayName” is required.')
  if (attribute === 'externalid') sent.external_id = null
}

/** Returns the change to a group's members. The members to remove are in the filter of the path or, as Entra
 * sends them, in the value. If the request names no members, all members are removed. */
function toMemberOperation({ op, where, value }: PatchOperation): MemberOperation {
  if (where) {
    const isOne = where.length === 1 && where[0]?.attribute === 'value' && where[0].op === 'eq'
    if (!isOne)
      throw createScimRefusal('invalidFilter', 'A member is found by its value: members[value eq "7"].')
    if (op !== 'remove')
      throw createScimRefusal('invalidPath', 'Members found by a filter can only be removed.')
    return {
      op,
      user_ids: readMemberIds(
        where.map((each) => ({ value: each.value })),
        { skipsUnknown: true },
      ),
    }
  }
  if (op === 'replace') return { op: 'set', user_ids: readMemberIds(value) }
  if (op === 'add') return { op, user_ids: readMemberIds(value) }
  const isAll = value === undefined || value === null
  return isAll ? { op: 'set', user_ids: [] } : { op, user_ids: readMemberIds(value, { skipsUnknown: true }) }
}

function setAttribute(sent: GroupChanges, attribute: string, value: unknown): void {
  if (attribute === 'displayname') {
    if (typeof value !== 'string' || value.trim() === '')
      throw createScimRefusal('invalidValue', 'displayName must be a text.')
    sent.name = value.trim()
  } else if (attribute === 'externalid') {
    if (value != null && typeof value !== 'string')
      throw createScimRefusal('invalidValue', 'externalId must be a text.')
    sent.external_id = value?.trim() || null
  }
}

const ID_PATTERN = /^[1-9]\d{0,14}$/

/** Returns the ids of members. Can skip values that are not ids, because removing unknown members is allowed. */
function readMemberIds(value: unknown, { skipsUnknown = false } = {}): number[] {
  const members = Array.isArray(value) ? value : value == null ? [] : [value]
  const ids = members.map((member) => String(isObject(member) ? findMember(member, 'value') : member))
  const wrong = ids.find((id) => !ID_PATTERN.test(id))
  if (wrong !== undefined && !skipsUnknown)
    throw createScimRefusal('invalidValue', `There is no user with the id “${wrong.slice(0, 100)}”.`)
  return ids.filter((id) => ID_PATTERN.test(id)).map(Number)
}
