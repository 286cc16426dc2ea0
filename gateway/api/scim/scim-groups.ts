// Groups that identity providers send, as the fields of the jobs that save them.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import type { MemberOperation } from '../../../shared/scim/scim-jobs.ts'
import { refuse } from './scim-errors.ts'
import { attributesOf, isObject, memberOf, type Operation, readOperations } from './scim-patch.ts'

type Changes = Omit<InputOf<'scim.update-group'>, 'id' | 'if_match'>
type NewGroup = InputOf<'scim.create-group'>

export function readNewGroup(body: unknown): NewGroup {
  const sent: Changes = {}
  for (const { attribute, value } of attributesOf(body)) {
    if (attribute === 'members') sent.members = [{ op: 'set', user_ids: idsIn(value) }]
    else setAttribute(sent, attribute, value)
  }
  const { name, ...rest } = sent
  if (!name) throw refuse('invalidValue', 'displayName is required.')
  return { ...rest, name }
}

/** For PUT: omitted attributes are cleared. */
export function readWholeGroup(body: unknown): Changes {
  return { external_id: null, members: [{ op: 'set', user_ids: [] }], ...readNewGroup(body) }
}

export function readGroupChanges(body: unknown, id: number): Changes {
  const sent: Changes = {}
  const members: MemberOperation[] = []
  for (const operation of readOperations(body)) {
    if (operation.attribute === 'members') members.push(memberOperation(operation))
    else apply(sent, operation, id)
  }
  return members.length > 0 ? { ...sent, members } : sent
}

const READ_ONLY = new Set(['id', 'meta'])

function apply(sent: Changes, { op, attribute, value }: Operation, id: number): void {
  // Okta sends the id along.
  if (READ_ONLY.has(attribute) && !(attribute === 'id' && String(value) === String(id)))
    throw refuse('mutability', `“${attribute}” is read-only.`)
  if (op !== 'remove') {
    setAttribute(sent, attribute, value)
    return
  }
  if (attribute === 'displayname') throw refuse('mutability', '“displayName” is required.')
  if (attribute === 'externalid') sent.external_id = null
}

/**
 * The members to remove are in the filter of the path, or, as Entra does, in the value. Without either all are removed.
 */
function memberOperation({ op, where, value }: Operation): MemberOperation {
  if (where) {
    const isOne = where.length === 1 && where[0]?.attribute === 'value' && where[0].op === 'eq'
    if (!isOne) throw refuse('invalidFilter', 'A member is found by its value: members[value eq "7"].')
    if (op !== 'remove') throw refuse('invalidPath', 'Members found by a filter can only be removed.')
    return {
      op,
      user_ids: idsIn(
        where.map((each) => ({ value: each.value })),
        { skipsUnknown: true },
      ),
    }
  }
  if (op === 'replace') return { op: 'set', user_ids: idsIn(value) }
  if (op === 'add') return { op, user_ids: idsIn(value) }
  const isAll = value === undefined || value === null
  return isAll ? { op: 'set', user_ids: [] } : { op, user_ids: idsIn(value, { skipsUnknown: true }) }
}

function setAttribute(sent: Changes, attribute: string, value: unknown): void {
  if (attribute === 'displayname') {
    if (typeof value !== 'string' || value.trim() === '')
      throw refuse('invalidValue', 'displayName must be a text.')
    sent.name = value.trim()
  } else if (attribute === 'externalid') {
    if (value != null && typeof value !== 'string') throw refuse('invalidValue', 'externalId must be a text.')
    sent.external_id = value?.trim() || null
  }
}

const ID = /^[1-9]\d{0,14}$/

/** Ignores values that cannot be ids; removing unknown members is allowed. */
function idsIn(value: unknown, { skipsUnknown = false } = {}): number[] {
  const members = Array.isArray(value) ? value : value == null ? [] : [value]
  const ids = members.map((member) => String(isObject(member) ? memberOf(member, 'value') : member))
  const wrong = ids.find((id) => !ID.test(id))
  if (wrong !== undefined && !skipsUnknown)
    throw refuse('invalidValue', `There is no user with the id “${wrong.slice(0, 100)}”.`)
  return ids.filter((id) => ID.test(id)).map(Number)
}
