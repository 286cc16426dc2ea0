// Reads the operations of a PATCH (RFC 7644, section 3.5.2) the way Entra and Okta send them: in any letter case, with
// or without a path, or with paths as the member names of a value.

import { createScimRefusal } from './scim-errors.ts'
import {
  type Comparison,
  FILTER_LENGTH_MAX,
  listComparisons,
  normalizeAttributeName,
  parseFilter,
} from './scim-filters.ts'

const OPERATIONS_MAX = 1_000

export type ScimMembers = Record<string, unknown>

export type ScimPath = {
  /** The attribute's name in lower case, without the schema. A sub-attribute follows a dot. */
  attribute: string
  /** The comparisons of the filter in the path's brackets. */
  where: Comparison[] | undefined
}

export type PatchOperation = ScimPath & { op: 'add' | 'replace' | 'remove'; value: unknown }

export const isObject = (value: unknown): value is ScimMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value of an object's member. Ignores the letter case of the member's name. */
export function findMember(object: ScimMembers, name: string): unknown {
  const key = Object.keys(object).find((each) => each.toLowerCase() === name)
  return key === undefined ? undefined : object[key]
}

/** Reads the operations in order, and splits each into operations on single attributes. */
export function readPatchOperations(body: unknown): PatchOperation[] {
  const operations = isObject(body) ? findMember(body, 'operations') : undefined
  if (!Array.isArray(operations))
    throw createScimRefusal('invalidSyntax', 'The body must have a list of Operations.')
  if (operations.length > OPERATIONS_MAX)
    throw createScimRefusal('invalidSyntax', `There must be at most ${OPERATIONS_MAX} Operations.`)
  return operations.flatMap(readOperation)
}

function readOperation(operation: unknown): PatchOperation[] {
  if (!isObject(operation)) throw createScimRefusal('invalidSyntax', 'An operation must be an object.')
  const op = String(findMember(operation, 'op')).toLowerCase()
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw createScimRefusal('invalidSyntax', '“op” must be add, replace or remove.')
  const path = findMember(operation, 'path')
  const value = findMember(operation, 'value')
  if (typeof path === 'string' && path.trim() !== '') return [{ op, value, ...readPath(path.trim()) }]
  if (path != null && path !== '') throw createScimRefusal('invalidPath', '“path” must be a text.')
  if (op === 'remove') throw createScimRefusal('noTarget', 'An operation that removes must have a path.')
  return listAttributes(value).map((attribute) => ({ op, ...attribute }))
}

/** Lists the attributes of a resource or of an operation's value. The attributes' names may be paths. */
export function listAttributes(value: unknown): Array<ScimPath & { value: unknown }> {
  if (!isObject(value)) throw createScimRefusal('invalidValue', 'The value must be an object of attributes.')
  return Object.entries(value).flatMap(([name, member]) => {
    // Attributes may be nested in a member named after their schema.
    if (CORE_SCHEMA.test(name)) return listAttributes(member)
    return [{ ...readPath(name), value: member }]
  })
}

const CORE_SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group)$/i

// Matches a path: an attribute with an optional schema, filter in brackets, and sub-attribute.
const PATH_PATTERN = /^([\w:.$-]+?)(?:\[(.*)\])?(?:\.([\w$-]+))?$/s

function readPath(path: string): ScimPath {
  const [, name = '', filter, part] = (path.length <= FILTER_LENGTH_MAX && PATH_PATTERN.exec(path)) || []
  if (name === '') throw createScimRefusal('invalidPath', `“${path.slice(0, 100)}” is not a path.`)
  const attribute = normalizeAttributeName(part === undefined ? name : `${name}.${part}`)
  return { attribute, where: filter === undefined ? undefined : listComparisons(parseFilter(filter)) }
}
