// Filters of listings (RFC 7644, 3.4.2.2) as conditions in SQL. Each kind of filter is one prepared statement; what it
// compares with are values.
import { type Filter, parse } from 'scim2-parse-filter'
import { USER_NAME } from '../../../shared/scim/scim-shape.ts'
import { refuse } from './scim-errors.ts'

export const FILTER_LENGTH_MAX = 4_000
/** More conditions would be too many kinds of statements. */
const CONDITIONS_MAX = 3
/** The parser calls itself for each bracket. */
const BRACKETS_MAX = 100

/** SQL of a condition; `value` is a placeholder. */
type Condition = (value: string) => string
type Attribute = Partial<Record<'eq' | 'sw', Condition>> & { type?: 'boolean' | 'id' }
export type Attributes = Record<string, Attribute>

/** Ignores letter case. */
const textOf = (column: string): Attribute => ({
  eq: (value) => `lower(${column}) = lower(${value}::text)`,
  sw: (value) => `starts_with(lower(${column}), lower(${value}::text))`,
})
const exactTextOf = (column: string): Attribute => ({
  eq: (value) => `${column} = ${value}::text`,
  sw: (value) => `starts_with(${column}, ${value}::text)`,
})
const idOf = (column: string): Attribute => ({ eq: (value) => `${column} = ${value}::bigint`, type: 'id' })

export const USER_ATTRIBUTES: Attributes = {
  id: idOf('users.id'),
  // As two statements, each reads its index; joined by OR they would read all users.
  username: {
    ...textOf(USER_NAME),
    eq: (value) =>
      `users.id IN (SELECT id FROM users WHERE lower(upn) = lower(${value}::text)
       UNION ALL SELECT id FROM users WHERE upn IS NULL AND lower(email) = lower(${value}::text))`,
  },
  externalid: exactTextOf('provisioned_users.external_id'),
  'emails.value': textOf('users.email'),
  displayname: textOf('users.name'),
  'name.formatted': textOf('users.name'),
  active: { eq: (value) => `(users.deactivated_at IS NULL) = ${value}::boolean`, type: 'boolean' },
}

export const GROUP_ATTRIBUTES: Attributes = {
  id: idOf('groups.id'),
  displayname: textOf('groups.name'),
  externalid: exactTextOf('provisioned_groups.external_id'),
  'members.value': {
    eq: (value) =>
      `EXISTS (SELECT FROM group_members WHERE group_id = groups.id AND user_id = ${value}::bigint)`,
    type: 'id',
  },
}

export type Where = { name: string; condition: (firstValue: number) => string; values: unknown[] }

const EVERYTHING: Where = { name: '', condition: () => 'true', values: [] }
const NOTHING: Where = { name: 'nothing', condition: () => 'false', values: [] }

export function whereOf(filter: string | undefined, attributes: Attributes): Where {
  if (filter === undefined) return EVERYTHING
  const comparisons = comparisonsOf(parseFilter(filter))
  if (comparisons === undefined) return NOTHING
  if (comparisons.length > CONDITIONS_MAX)
    throw refuse('invalidFilter', `A filter has at most ${CONDITIONS_MAX} conditions.`)
  const found = comparisons
    .map((each) => conditionOf(each, attributes))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  if (found.some(({ value }) => value === undefined)) return NOTHING
  return {
    name: found.map(({ name }) => name).join('-'),
    condition: (firstValue) =>
      found.map(({ condition }, index) => condition(`$${firstValue + index}`)).join(' AND ') || 'true',
    values: found.map(({ value }) => value),
  }
}

export function parseFilter(text: string): Filter {
  if (text.length > FILTER_LENGTH_MAX || isDeep(text))
    throw refuse('invalidFilter', 'The filter is too long or too deep.')
  // The parser does not undo escapes, so it gets the numbers of the texts instead.
  const texts: string[] = []
  const numbered = text.replace(QUOTED, (quoted) => `"${texts.push(unquote(quoted)) - 1}"`)
  try {
    return withTexts(parse(numbered), texts)
  } catch {
    throw refuse('invalidFilter', 'The filter is malformed.')
  }
}

const QUOTED = /"(?:[^"\\]|\\.)*"/gs

/** Some clients do not escape a backslash. */
function unquote(quoted: string): string {
  try {
    return JSON.parse(quoted)
  } catch {
    return quoted.slice(1, -1)
  }
}

function withTexts(filter: Filter, texts: string[]): Filter {
  if (filter.op === 'and' || filter.op === 'or')
    return { ...filter, filters: filter.filters.map((each) => withTexts(each, texts)) }
  if (filter.op === '[]') return { ...filter, valFilter: withTexts(filter.valFilter, texts) }
  if (!('compValue' in filter) || typeof filter.compValue !== 'string') return filter
  return { ...filter, compValue: texts[Number(filter.compValue)] ?? '' }
}

const isDeep = (text: string) => text.replace(/[^([]/g, '').length > BRACKETS_MAX

export type Comparison = { attribute: string; op: string; value: unknown }

/** Returns conditions that must all hold. Undefined if nothing can match: all e-mails here are primary work e-mails. */
function comparisonsOf(filter: Filter): Comparison[] | undefined {
  if (filter.op === 'and') {
    const parts = filter.filters.map(comparisonsOf)
    return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part ?? [])
  }
  if (filter.op === '[]') {
    const attribute = nameOf(filter.attrPath)
    const inner = listed(filter.valFilter).map(({ attribute: name, ...rest }) => ({
      ...rest,
      attribute: `${attribute}.${name}`,
    }))
    return withoutConstants(inner)
  }
  if (!('compValue' in filter)) throw unsupported(filter.op)
  return withoutConstants([comparisonOf(filter)])
}

/** The comparisons inside of brackets, which must all hold. */
export function listed(filter: Filter): Comparison[] {
  if (filter.op === 'and') return filter.filters.flatMap(listed)
  if (!('compValue' in filter)) throw unsupported(filter.op)
  return [comparisonOf(filter)]
}

const comparisonOf = ({ op, attrPath, compValue }: { op: string; attrPath: string; compValue: unknown }) => ({
  attribute: nameOf(attrPath),
  op,
  value: compValue,
})

const unsupported = (op: string) => refuse('invalidFilter', `Filters with “${op}” are not supported.`)

const URN = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/

/** In small letters, without the schema. */
export const nameOf = (path: string) => path.toLowerCase().replace(URN, '')

/** Values that are the same for every e-mail and member here. */
const CONSTANTS: Record<string, unknown> = {
  'emails.type': 'work',
  'emails.primary': 'true',
  'members.type': 'user',
}

function withoutConstants(comparisons: Comparison[]): Comparison[] | undefined {
  const isConstant = ({ attribute }: Comparison) => Object.hasOwn(CONSTANTS, attribute)
  const holds = ({ attribute, op, value }: Comparison) =>
    op === 'eq' && String(value).toLowerCase() === CONSTANTS[attribute]
  if (!comparisons.filter(isConstant).every(holds)) return undefined
  return comparisons.filter((each) => !isConstant(each))
}

/** A listed attribute without its part is its value. */
const ALIASES: Record<string, string> = { emails: 'emails.value', members: 'members.value' }

function conditionOf({ attribute, op, value }: Comparison, attributes: Attributes) {
  const name = Object.hasOwn(ALIASES, attribute) ? (ALIASES[attribute] ?? '') : attribute
  const known = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  const condition = op === 'eq' || op === 'sw' ? known?.[op] : undefined
  if (!known || !condition)
    throw refuse('invalidFilter', `“${attribute.slice(0, 100)} ${op}” is not supported in a filter.`)
  return { name: `${name}.${op}`, condition, value: comparedWith(value, known.type) }
}

const ID = /^[1-9]\d{0,14}$/

/** Returns undefined if no resource can have such a value. */
function comparedWith(value: unknown, type: Attribute['type']): unknown {
  const text = String(value)
  if (type === 'id') return ID.test(text) ? text : undefined
  if (type === 'boolean') return /^(?:true|false)$/i.test(text) ? text : undefined
  if (typeof value !== 'string') throw refuse('invalidFilter', 'Texts are compared with texts.')
  return value.includes('\u0000') ? undefined : value
}
