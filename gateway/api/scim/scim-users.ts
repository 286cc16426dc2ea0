// Users that identity providers send, as the fields of the jobs that save them. Attributes that Berth does not have are
// ignored.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { refuse } from './scim-errors.ts'
import type { Comparison } from './scim-filters.ts'
import {
  attributesOf,
  isObject,
  type Members,
  memberOf,
  type Operation,
  readOperations,
} from './scim-patch.ts'

type Changes = Omit<InputOf<'scim.update-user'>, 'id' | 'if_match'>
type NewUser = InputOf<'scim.create-user'>
/** `formatted` is the name unless there is a display name. */
type Sent = Omit<Changes, 'name' | 'email'> & {
  display?: string | null
  formatted?: string | null
  email?: string | null
}

export function readNewUser(body: unknown): NewUser {
  const sent: Sent = {}
  for (const { attribute, value } of attributesOf(body)) setAttribute(sent, attribute, value)
  const { display, formatted, email, upn, ...rest } = sent
  if (!upn) throw refuse('invalidValue', 'userName is required.')
  const parts = [sent.given_name, sent.family_name].filter(Boolean).join(' ')
  const name = display || formatted || parts || upn
  return { ...rest, upn, name, email: email || emailOf(upn) }
}

/** For PUT: omitted attributes are cleared, except those that every user has. */
export function readWholeUser(body: unknown): Changes {
  return { external_id: null, given_name: null, family_name: null, ...readNewUser(body) }
}

function emailOf(upn: string): string {
  if (upn.includes('@')) return upn
  throw refuse('invalidValue', 'emails is required, unless userName is an e-mail.')
}

export function readUserChanges(body: unknown, id: number): Changes {
  const sent: Sent = {}
  for (const operation of readOperations(body)) apply(sent, operation, id)
  const { display, formatted, email, ...rest } = sent
  const name = display || formatted || undefined
  return { ...rest, ...(name ? { name } : {}), ...(email ? { email } : {}) }
}

const READ_ONLY = new Set(['id', 'meta', 'groups'])
const REQUIRED = new Set(['username', 'emails', 'emails.value'])

function apply(sent: Sent, { op, attribute, where, value }: Operation, id: number): void {
  const [root = ''] = attribute.split('.')
  // Okta sends the id along.
  if (READ_ONLY.has(root) && !(attribute === 'id' && String(value) === String(id)))
    throw refuse('mutability', `“${root}” is read-only.`)
  if (root === 'emails' && where && !isOurs(where)) {
    if (op === 'replace')
      throw refuse('noTarget', 'A user has one e-mail, which is primary and of the type work.')
    return
  }
  if (op !== 'remove') {
    setAttribute(sent, attribute, value)
    return
  }
  if (REQUIRED.has(attribute)) throw refuse('mutability', `“${root}” is required.`)
  if (attribute === 'externalid') sent.external_id = null
  if (attribute === 'name.givenname') sent.given_name = null
  if (attribute === 'name.familyname') sent.family_name = null
}

const isOurs = (where: Comparison[]) =>
  where.every(({ attribute, op, value }) => {
    const text = String(value).toLowerCase()
    if (attribute === 'value') return true
    return (
      op === 'eq' &&
      ((attribute === 'type' && text === 'work') || (attribute === 'primary' && text === 'true'))
    )
  })

function setAttribute(sent: Sent, attribute: string, value: unknown): void {
  if (attribute === 'username') sent.upn = textOf('userName', value) ?? requiredText('userName')
  else if (attribute === 'externalid') sent.external_id = textOf('externalId', value)
  else if (attribute === 'displayname') sent.display = textOf('displayName', value)
  else if (attribute === 'name.formatted') sent.formatted = textOf('name.formatted', value)
  else if (attribute === 'name.givenname') sent.given_name = textOf('name.givenName', value)
  else if (attribute === 'name.familyname') sent.family_name = textOf('name.familyName', value)
  else if (attribute === 'active') setActive(sent, value)
  else if (attribute === 'emails' || attribute === 'emails.value') sent.email = emailIn(value)
  else if (attribute === 'name' && isObject(value)) {
    for (const [part, each] of Object.entries(value)) setAttribute(sent, `name.${part.toLowerCase()}`, each)
  }
}

function requiredText(name: string): never {
  throw refuse('invalidValue', `${name} must not be empty.`)
}

/** Null if it is empty: SCIM takes null, nothing and an empty list for the same. */
function textOf(name: string, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value !== 'string') throw refuse('invalidValue', `${name} must be a text.`)
  return value.trim() || null
}

/** Entra sends "True" and "False". */
function setActive(sent: Sent, value: unknown): void {
  const text = String(value).toLowerCase()
  if (value === null || value === undefined) return
  if ((typeof value !== 'boolean' && typeof value !== 'string') || (text !== 'true' && text !== 'false'))
    throw refuse('invalidValue', 'active must be true or false.')
  sent.is_active = text === 'true'
}

/** The primary one, or else the one of work, or else the first. */
function emailIn(value: unknown): string | null {
  if (!Array.isArray(value) && !isObject(value)) return textOf('emails.value', value)
  const emails = (Array.isArray(value) ? value : [value]).map(
    (each): Members => (isObject(each) ? each : { value: each }),
  )
  const has = (name: string, wanted: string) => (email: Members) =>
    String(memberOf(email, name)).toLowerCase() === wanted
  const chosen = emails.find(has('primary', 'true')) ?? emails.find(has('type', 'work')) ?? emails[0]
  return textOf('emails.value', chosen && memberOf(chosen, 'value'))
}
