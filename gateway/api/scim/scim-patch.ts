// The operations of a PATCH (RFC 7644, 3.5.2), as Entra and Okta send them: in any letter case, with or without a path,
// with paths as the members of a value.

import { refuse } from './scim-errors.ts'
import { type Comparison, FILTER_LENGTH_MAX, listed, nameOf, parseFilter } from './scim-filters.ts'

const OPERATIONS_MAX = 1_000

export type Members = Record<string, unknown>

export type Path = {
  /** In small letters, without its schema; a part of it follows a dot. */
  attribute: string
  /** What the filter in brackets compares. */
  where: Comparison[] | undefined
}

export type Operation = Path & { op: 'add' | 'replace' | 'remove'; value: unknown }

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value of a member, whatever the letter case of its name. */
export function memberOf(object: Members, name: string): unknown {
  const key = Object.keys(object).find((each) => each.toLowerCase() === name)
  return key === undefined ? undefined : object[key]
}

/** What all operations say in their order, each for one attribute. */
export function readOperations(body: unknown): Operation[] {
  const operations = isObject(body) ? memberOf(body, 'operations') : undefined
  if (!Array.isArray(operations)) throw refuse('invalidSyntax', 'The body must have a list of Operations.')
  if (operations.length > OPERATIONS_MAX)
    throw refuse('invalidSyntax', `There must be at most ${OPERATIONS_MAX} Operations.`)
  return operations.flatMap(readOperation)
}

function readOperation(operation: unknown): Operation[] {
  if (!isObject(operation)) throw refuse('invalidSyntax', 'An operation must be an object.')
  const op = String(memberOf(operation, 'op')).toLowerCase()
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw refuse('invalidSyntax', '“op” must be add, replace or remove.')
  const path = memberOf(operation, 'path')
  const value = memberOf(operation, 'value')
  if (typeof path === 'string' && path.trim() !== '') return [{ op, value, ...readPath(path.trim()) }]
  if (path != null && path !== '') throw refuse('invalidPath', '“path” must be a text.')
  if (op === 'remove') throw refuse('noTarget', 'An operation that removes must have a path.')
  return attributesOf(value).map((attribute) => ({ op, ...attribute }))
}

/** The attributes of a resource or of the value of an operation; their names may be paths. */
export function attributesOf(value: unknown): Array<Path & { value: unknown }> {
  if (!isObject(value)) throw refuse('invalidValue', 'The value must be an object of attributes.')
  return Object.entries(value).flatMap(([name, member]) => {
    // The attributes of a schema in an object of its own.
    if (CORE.test(name)) return attributesOf(member)
    return [{ ...readPath(name), value: member }]
  })
}

const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group)$/i

// The attribute, perhaps with its schema, a filter in brackets, and a part.
const PATH = /^([\w:.$-]+?)(?:\[(.*)\])?(?:\.([\w$-]+))?$/s

function readPath(path: string): Path {
  const [, name = '', filter, part] = (path.length <= FILTER_LENGTH_MAX && PATH.exec(path)) || []
  if (name === '') throw refuse('invalidPath', `“${path.slice(0, 100)}” is not a path.`)
  const attribute = nameOf(part === undefined ? name : `${name}.${part}`)
  return { attribute, where: filter === undefined ? undefined : listed(parseFilter(filter)) }
}
