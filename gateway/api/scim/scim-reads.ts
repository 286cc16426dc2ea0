// Reads users and groups for identity providers: one resource by its id, or a page of the resources that
// match a filter.

import { message } from '../../../shared/messages/message.ts'
import {
  IS_VISIBLE_SQL,
  SCIM_GROUPS_TABLE,
  SCIM_USERS_TABLE,
  selectScimGroupsSql,
  selectScimUsersSql,
} from '../../../shared/scim/scim-shape.ts'
import type { Call, RequestCall } from '../../server/http/call.ts'
import type { AttributeSelection, FoundResource, ScimPage } from './scim-answers.ts'
import { includesAttribute } from './scim-answers.ts'
import { createScimRefusal } from './scim-errors.ts'
import {
  type FilterAttributes,
  type FilterCondition,
  GROUP_ATTRIBUTES,
  toFilterCondition,
  USER_ATTRIBUTES,
} from './scim-filters.ts'

const MEMBERS_PER_PAGE_MAX = 20_000
export const PAGE_SIZE_DEFAULT = 100
export const PAGE_SIZE_MAX = 1_000

type ResourceKind = {
  name: string
  missing: ReturnType<typeof message>
  attributes: FilterAttributes
  rows: string
  id: string
  select(condition: string): string
}

export const SCIM_USER_KIND: ResourceKind = {
  name: 'scim-users',
  missing: message`There is no person with this id.`,
  attributes: USER_ATTRIBUTES,
  rows: `${SCIM_USERS_TABLE} WHERE ${IS_VISIBLE_SQL}`,
  id: 'users.id',
  select: (condition) => selectScimUsersSql('$1', condition),
}

const createGroupKind = (name: string, hasMembers: boolean): ResourceKind => ({
  name,
  missing: message`There is no group with this id.`,
  attributes: GROUP_ATTRIBUTES,
  rows: `${SCIM_GROUPS_TABLE} WHERE true`,
  id: 'groups.id',
  select: (condition) => selectScimGroupsSql('$1', condition, { hasMembers }),
})
const GROUP_KIND = createGroupKind('scim-groups', false)
const GROUP_WITH_MEMBERS_KIND = createGroupKind('scim-groups-with-members', true)

export const chooseGroupKind = (selection: AttributeSelection): ResourceKind =>
  includesAttribute(selection, 'members') ? GROUP_WITH_MEMBERS_KIND : GROUP_KIND

export async function findResource(
  call: RequestCall,
  kind: ResourceKind,
  id: number,
): Promise<FoundResource | undefined> {
  const values = [call.baseUrl, id]
  const statement = { name: `${kind.name}-one`, text: kind.select(`${kind.id} = $2`), values }
  const { rows } = await call.read(({ pointReads }) => pointReads.query<FoundResource>(statement))
  return rows[0]
}

export type PageQuery = AttributeSelection & {
  filter?: string | undefined
  startIndex?: string | undefined
  count?: string | undefined
}

export async function findResourcePage(
  call: Call<unknown, PageQuery>,
  kind: ResourceKind,
): Promise<ScimPage> {
  const { filter, startIndex: start, count } = call.query
  const startIndex = Math.max(1, parseNumber('startIndex', start, 1))
  const limit = Math.min(Math.max(0, parseNumber('count', count, PAGE_SIZE_DEFAULT)), PAGE_SIZE_MAX)
  const { values, ...statement } = createPageStatement(kind, filter)
  const { rows } = await call.read(({ pool }) =>
    pool.query<FoundResource & { total: number }>({
      ...statement,
      values: [call.baseUrl, startIndex - 1, limit, ...values],
    }),
  )
  const found = rows.filter(({ resource }) => resource !== null)
  return { found, total: rows[0]?.total ?? 0, startIndex }
}

function parseNumber(name: string, given: string | undefined, otherwise: number): number {
  if (given === undefined) return otherwise
  if (!/^-?\d+$/.test(given)) throw createScimRefusal('invalidValue', `${name} must be a whole number.`)
  return Number(given)
}

const FIRST_FILTER_PARAMETER = 4

/**
 * Returns the statement for a page. Its first parameters are the base URL, how many resources to skip, and how many to
 * return.
 */
export function createPageStatement(kind: ResourceKind, filter?: string) {
  const where = toFilterCondition(filter, kind.attributes)
  return { name: `${kind.name}-page-${where.name}`, text: createPageText(kind, where), values: where.values }
}

function createPageText(kind: ResourceKind, where: FilterCondition): string {
  const page = 'SELECT id FROM found ORDER BY id OFFSET $2::bigint LIMIT $3::bigint'
  const ids = kind === GROUP_WITH_MEMBERS_KIND ? limitMembers(page) : page
  return `WITH found AS MATERIALIZED (
      SELECT ${kind.id} FROM ${kind.rows} AND ${where.condition(FIRST_FILTER_PARAMETER)}
    )
    SELECT counted.total, page.* FROM (SELECT count(*)::int AS total FROM found) AS counted
    LEFT JOIN (${kind.select(`${kind.id} IN (${ids})`)}) AS page ON true ORDER BY page.id`
}

/** Ends a page of groups before it contains too many members. The next page begins there. */
const limitMembers = (page: string) => `
  SELECT id FROM (
    SELECT id, row_number() OVER (ORDER BY id) AS ordinal,
      sum((SELECT count(*) FROM group_members WHERE group_id = page.id)) OVER (ORDER BY id) AS members
    FROM (${page}) AS page
  ) AS counted WHERE ordinal = 1 OR members <= ${MEMBERS_PER_PAGE_MAX}`
