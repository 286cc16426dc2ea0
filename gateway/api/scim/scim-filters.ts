// Converts the filters of listings (RFC 7644, section 3.4.2.2) to SQL conditions. Each kind of filter is one prepared
// statement, and the values in the filter are its parameters.
import { type Filter, parse } from 'scim2-parse-filter'
import { USER_NAME_SQL } from '../../../shared/scim/scim-shape.ts'
import { createScimRefusal } from './scim-errors.ts'

export const FILTER_LENGTH_MAX = 4_000
/** The maximum number of conditions in a filter. More would lead to too many kinds of statements. */
const CONDITIONS_MAX = 3
/** The maximum number of brackets. The parser calls itself for each bracket. */
const BRACKETS_MAX = 100

/** Returns the SQL of a condition. `value` is a placeholder. */
type SqlCondition = (value: string) => string
type FilterAttribute = Partial<Record<'eq' | 'sw', SqlCondition>> & { type?: 'boolean' | 'id' }
export type FilterAttributes = Record<string, FilterAttribute>

/** A text attribute, which is compared without regard to letter case. */
const textAttribute = (column: string): FilterAttribute => ({
  eq: (value) => `lower(${column}) = lower(${value}::text)`,
  sw: (value) => `starts_with(lower(${column}), lower(${value}::text))`,
})
const exactTextAttribute = (column: string): FilterAttribute => ({
  eq: (value) => `${column} = ${value}::text`,
  sw: (value) => `starts_with(${column}, ${value}::text)`,
})
const idAttribute = (column: string): FilterAttribute => ({
  eq: (value) => `${column} = ${value}::bigint`,
  type: 'id',
})

export const USER_ATTRIBUTES: FilterAttributes = {
  id: idAttribute('users.id'),
  // These are two statements, so that each uses its own index. A single statement with OR would read all
  // users.
  username: {
    ...textAttribute(USER_NAME_SQL),
    eq: (value) =>
      `users.id IN (SELECT id FROM users WHERE lower(upn) = lower(${value}::text)
       UNION ALL SELECT id FROM users WHERE upn IS NULL AND lower(email) = lower(${value}::text))`,
  },
  externalid: exactTextAttribute('provisioned_users.external_id'),
  'emails.value': textAttribute('users.email'),
  displayname: textAttribute('users.name'),
  'name.formatted': textAttribute('users.name'),
  active: { eq: (value) => `(users.deactivated_at IS NULL) = ${value}::boolean`, type: 'boolean' },
}

export const GROUP_ATTRIBUTES: FilterAttributes = {
  id: idAttribute('groups.id'),
  displayname: textAttribute('groups.name'),
  externalid: exactTextAttribute('provisioned_groups.external_id'),
  'members.value': {
    eq: (value) =>
      `EXISTS (SELECT FROM group_members WHERE group_id = groups.id AND user_id = ${value}::bigint)`,
    type: 'id',
  },
}

export type FilterCondition = { name: string; condition: (firstValue: number) => string; values: unknown[] }

const MATCHES_EVERYTHING: FilterCondition = { name: '', condition: () => 'true', values: [] }
const MATCHES_NOTHING: FilterCondition = { name: 'nothing', condition: () => 'false', values: [] }

export function toFilterCondition(filter: string | undefined, attributes: FilterAttributes): FilterCondition {
  if (filter === undefined) return MATCHES_EVERYTHING
  const comparisons = listPossibleComparisons(parseFilter(filter))
  if (comparisons === undefined) return MATCHES_NOTHING
  if (comparisons.length > CONDITIONS_MAX)
    throw createScimRefusal('invalidFilter', `A filter has at most ${CONDITIONS_MAX} conditions.`)
  const found = comparisons
    .map((each) => toSqlCondition(each, attributes))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  if (found.some(({ value }) => value === undefined)) return MATCHES_NOTHING
  return {
    name: found.map(({ name }) => name).join('-'),
    condition: (firstValue) =>
      found.map(({ condition }, index) => condition(`$${firstValue + index}`)).join(' AND ') || 'true',
    values: found.map(({ value }) => value),
  }
}

export function parseFilter(text: string): Filter {
  if (text.length > FILTER_LENGTH_MAX || hasTooManyBrackets(text))
    throw createScimRefusal('invalidFilter', 'The filter is too long or too deep.')
  // The parser does not decode escapes, so each quoted text is replaced by a number before parsing.
  const texts: string[] = []
  const numbered = text.replace(QUOTED_TEXT, (quoted) => `"${texts.push(unquote(quoted)) - 1}"`)
  try {
    return restoreTexts(parse(numbered), texts)
  } catch {
    throw createScimRefusal('invalidFilter', 'The filter is malformed.')
  }
}

const QUOTED_TEXT = /"(?:[^"\\]|\\.)*"/gs

/** Accepts a single backslash, because some clients do not escape it. */
function unquote(quoted: string): string {
  try {
    return JSON.parse(quoted)
  } catch {
    return quoted.slice(1, -1)
  }
}

function restoreTexts(filter: Filter, texts: string[]): Filter {
  if (filter.op === 'and' || filter.op === 'or')
    return { ...filter, filters: filter.filters.map((each) => restoreTexts(each, texts)) }
  if (filter.op === '[]') return { ...filter, valFilter: restoreTexts(filter.valFilter, texts) }
  if (!('compValue' in filter) || typeof filter.compValue !== 'string') return filter
  return { ...filter, compValue: texts[Number(filter.compValue)] ?? '' }
}

const hasTooManyBrackets = (text: string) => text.replace(/[^([]/g, '').length > BRACKETS_MAX

export type Comparison = { attribute: string; op: string; value: unknown }

/**
 * Returns conditions that must all hold, or undefined if nothing can match. All e-mails here count as primary work
 * e-mails.
 */
function listPossibleComparisons(filter: Filter): Comparison[] | undefined {
  if (filter.op === 'and') {
    const parts = filter.filters.map(listPossibleComparisons)
    return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part ?? [])
  }
  if (filter.op === '[]') {
    const attribute = normalizeAttributeName(filter.attrPath)
    const inner = listComparisons(filter.valFilter).map(({ attribute: name, ...rest }) => ({
      ...rest,
      attribute: `${attribute}.${name}`,
    }))
    return removeConstants(inner)
  }
  if (!('compValue' in filter)) throw refuseOperator(filter.op)
  return removeConstants([toComparison(filter)])
}

/** Lists the comparisons in a filter's brackets, which must all hold. */
export function listComparisons(filter: Filter): Comparison[] {
  if (filter.op === 'and') return filter.filters.flatMap(listComparisons)
  if (!('compValue' in filter)) throw refuseOperator(filter.op)
  return [toComparison(filter)]
}

const toComparison = ({ op, attrPath, compValue }: { op: string; attrPath: string; compValue: unknown }) => ({
  attribute: normalizeAttributeName(attrPath),
  op,
  value: compValue,
})

const refuseOperator = (op: string) =>
  createScimRefusal('invalidFilter', `Filters with “${op}” are not supported.`)

const SCHEMA_PREFIX = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/

/** Returns the attribute's name in lower case, without the schema. */
export const normalizeAttributeName = (path: string) => path.toLowerCase().replace(SCHEMA_PREFIX, '')

/** Values that are the same for every e-mail and group member in Berth. */
const CONSTANT_VALUES: Record<string, unknown> = {
  'emails.type': 'work',
  'emails.primary': 'true',
  'members.type': 'user',
}

function removeConstants(comparisons: Comparison[]): Comparison[] | undefined {
  const isConstant = ({ attribute }: Comparison) => Object.hasOwn(CONSTANT_VALUES, attribute)
  const holds = ({ attribute, op, value }: Comparison) =>
    op === 'eq' && String(value).toLowerCase() === CONSTANT_VALUES[attribute]
  if (!comparisons.filter(isConstant).every(holds)) return undefined
  return comparisons.filter((each) => !isConstant(each))
}

/** `emails` alone means `emails.value`, and `members` alone means `members.value`. */
const ATTRIBUTE_ALIASES: Record<string, string> = { emails: 'emails.value', members: 'members.value' }

function toSqlCondition({ attribute, op, value }: Comparison, attributes: FilterAttributes) {
  const name = Object.hasOwn(ATTRIBUTE_ALIASES, attribute) ? (ATTRIBUTE_ALIASES[attribute] ?? '') : attribute
  const known = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  const condition = op === 'eq' || op === 'sw' ? known?.[op] : undefined
  if (!known || !condition)
    throw createScimRefusal(
      'invalidFilter',
      `“${attribute.slice(0, 100)} ${op}” is not supported in a filter.`,
    )
  return { name: `${name}.${op}`, condition, value: toComparedValue(value, known.type) }
}

const ID_PATTERN = /^[1-9]\d{0,14}$/

/** Returns the value in the type of the attribute, or undefined if no resource can have this value. */
function toComparedValue(value: unknown, type: FilterAttribute['type']): unknown {
  const text = String(value)
  if (type === 'id') return ID_PATTERN.test(text) ? text : undefined
  if (type === 'boolean') return /^(?:true|false)$/i.test(text) ? text : undefined
  if (typeof value !== 'string') throw createScimRefusal('invalidFilter', 'Texts are compared with texts.')
  return value.includes('\u0000') ? undefined : value
}
