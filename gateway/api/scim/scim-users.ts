// Converts users from identity providers to the fields of the jobs that save users. Ignores attributes that
// Berth does not have.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { isPictureAddress } from '../../../shared/people/pictures.ts'
import { createScimRefusal } from './scim-errors.ts'
import type { Comparison } from './scim-filters.ts'
import {
  findMember,
  isObject,
  listAttributes,
  type PatchOperation,
  readPatchOperations,
  type ScimMembers,
} from './scim-patch.ts'

type UserChanges = Omit<InputOf<'scim.update-user'>, 'id' | 'if_match'>
type NewUser = InputOf<'scim.create-user'>
/** The attributes of a user. `formatted` is the name unless there is a display name. */
type SentUser = Omit<UserChanges, 'name' | 'email'> & {
  display?: string | null
  formatted?: string | null
  email?: string | null
}

export function readNewUser(body: unknown): NewUser {
  const sent: SentUser = {}
  for (const { attribute, value } of listAttributes(body)) setAttribute(sent, attribute, value)
  const { display, formatted, email, upn, ...rest } = sent
  if (!upn) throw createScimRefusal('invalidValue', 'userName is required.')
  const parts = [sent.given_name, sent.family_name].filter(Boolean).join(' ')
  const name = display || formatted || parts || upn
  return { ...rest, upn, name, email: email || requireEmail(upn) }
}

/** Reads a user from the body of a PUT. A PUT clears omitted attributes, except the attributes that every user has. */
export function readWholeUser(body: unknown): UserChanges {
  return { external_id: null, given_name: null, family_name: null, ...readNewUser(body) }
}

function requireEmail(upn: string): string {
  if (upn.includes('@')) return upn
  throw createScimRefusal('invalidValue', 'emails is required, unless userName is an e-mail.')
}

export function readUserChanges(body: unknown, id: number): UserChanges {
  const sent: SentUser = {}
  for (const operation of readPatchOperations(body)) applyOperation(sent, operation, id)
  const { display, formatted, email, ...rest } = sent
  const name = display || formatted || undefined
  return { ...rest, ...(name ? { name } : {}), ...(email ? { email } : {}) }
}

const READ_ONLY_ATTRIBUTES = new Set(['id', 'meta', 'groups'])
const REQUIRED_ATTRIBUTES = new Set(['username', 'emails', 'emails.value'])

function applyOperation(sent: SentUser, { op, attribute, where, value }: PatchOperation, id: number): void {
  const [root = ''] = attribute.split('.')
  // Okta also sends the id, which does not change.
  if (READ_ONLY_ATTRIBUTES.has(root) && !(attribute === 'id' && String(value) === String(id)))
    throw createScimRefusal('mutability', `“${root}” is read-only.`)
  if (root === 'emails' && where && !isPrimaryWorkEmail(where)) {
    if (op === 'replace')
      throw createScimRefusal('noTarget', 'A user has one e-mail, which is primary and of the type work.')
    return
  }
  if (op !== 'remove') {
    setAttribute(sent, attribute, value)
    return
  }
  if (REQUIRED_ATTRIBUTES.has(attribute)) throw createScimRefusal('mutability', `“${root}” is required.`)
  if (attribute === 'externalid') sent.external_id = null
  if (attribute === 'name.givenname') sent.given_name = null
  if (attribute === 'name.familyname') sent.family_name = null
  if (attribute === 'photos') sent.picture_address = null
}

const isPrimaryWorkEmail = (where: Comparison[]) =>
  where.every(({ attribute, op, value }) => {
    const text = String(value).toLowerCase()
    if (attribute === 'value') return true
    return (
      op === 'eq' &&
      ((attribute === 'type' && text === 'work') || (attribute === 'primary' && text === 'true'))
    )
  })

function setAttribute(sent: SentUser, attribute: string, value: unknown): void {
  if (attribute === 'username') sent.upn = readText('userName', value) ?? refuseMissingText('userName')
  else if (attribute === 'externalid') sent.external_id = readText('externalId', value)
  else if (attribute === 'displayname') sent.display = readText('displayName', value)
  else if (attribute === 'name.formatted') sent.formatted = readText('name.formatted', value)
  else if (attribute === 'name.givenname') sent.given_name = readText('name.givenName', value)
  else if (attribute === 'name.familyname') sent.family_name = readText('name.familyName', value)
  else if (attribute === 'active') setActive(sent, value)
  else if (attribute === 'photos') sent.picture_address = findPictureAddress(value)
  else if (attribute === 'emails' || attribute === 'emails.value') sent.email = findEmail(value)
  else if (attribute === 'name' && isObject(value)) {
    for (const [part, each] of Object.entries(value)) setAttribute(sent, `name.${part.toLowerCase()}`, each)
  }
}

function refuseMissingText(name: string): never {
  throw createScimRefusal('invalidValue', `${name} must not be empty.`)
}

/** Returns the text, or null for an empty value: SCIM treats null, a missing value and an empty list alike. */
function readText(name: string, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value !== 'string') throw createScimRefusal('invalidValue', `${name} must be a text.`)
  return value.trim() || null
}

/** Entra sends "True" and "False" as text. */
function setActive(sent: SentUser, value: unknown): void {
  const text = String(value).toLowerCase()
  if (value === null || value === undefined) return
  if ((typeof value !== 'boolean' && typeof value !== 'string') || (text !== 'true' && text !== 'false'))
    throw createScimRefusal('invalidValue', 'active must be true or false.')
  sent.is_active = text === 'true'
}

/** Returns the primary e-mail, or else the work e-mail, or else the first one. */
function findEmail(value: unknown): string | null {
  if (!Array.isArray(value) && !isObject(value)) return readText('emails.value', value)
  return readText('emails.value', findPreferredValue(value, 'work'))
}

/** Returns the address of the primary photo, or else of the first photo. Ignores photos without an address. */
function findPictureAddress(value: unknown): string | null {
  const found = findPreferredValue(value, 'photo')
  return isPictureAddress(found) ? found : null
}

/** Returns the value that is primary, or else that has this type, or else the first one. */
function findPreferredValue(value: unknown, type: string): unknown {
  const all = [value ?? []].flat().map((each): ScimMembers => (isObject(each) ? each : { value: each }))
  const has = (name: string, wanted: string) => (one: ScimMembers) =>
    String(findMember(one, name)).toLowerCase() === wanted
  const chosen = all.find(has('primary', 'true')) ?? all.find(has('type', type)) ?? all[0]
  return chosen && findMember(chosen, 'value')
}
