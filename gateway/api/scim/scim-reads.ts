// Reads users and groups for identity providers: one by its id, or a page of those that a filter finds.

import { message } from '../../../shared/messages/message.ts'
import {
  GROUPS,
  IS_VISIBLE,
  selectScimGroups,
  selectScimUsers,
  USERS,
} from '../../../shared/scim/scim-shape.ts'
import type { Call, RequestCall } from '../../server/http/call.ts'
import type { Found, Page, Selection } from './scim-answers.ts'
import { shows } from './scim-answers.ts'
import { refuse } from './scim-errors.ts'
import { type Attributes, GROUP_ATTRIBUTES, USER_ATTRIBUTES, type Where, whereOf } from './scim-filters.ts'

const MEMBERS_OF_PAGE_MAX = 20_000
export const COUNT_DEFAULT = 100
export const COUNT_MAX = 1_000

type Kind = {
  name: string
  missing: ReturnType<typeof message>
  attributes: Attributes
  rows: string
  id: string
  select(condition: string): string
}

export const USER_KIND: Kind = {
  name: 'scim-users',
  missing: message`There is no person with this id.`,
  attributes: USER_ATTRIBUTES,
  rows: `${USERS} WHERE ${IS_VISIBLE}`,
  id: 'users.id',
  select: (condition) => selectScimUsers('$1', condition),
}

const groupKind = (name: string, hasMembers: boolean): Kind => ({
  name,
  missing: message`There is no group with this id.`,
  attributes: GROUP_ATTRIBUTES,
  rows: `${GROUPS} WHERE true`,
  id: 'groups.id',
  select: (condition) => selectScimGroups('$1', condition, { hasMembers }),
})
const GROUP_KIND = groupKind('scim-groups', false)
const GROUP_WITH_MEMBERS_KIND = groupKind('scim-groups-with-members', true)

export const groupKindFor = (selection: Selection): Kind =>
  shows(selection, 'members') ? GROUP_WITH_MEMBERS_KIND : GROUP_KIND

export async function findOne(call: RequestCall, kind: Kind, id: number): Promise<Found | undefined> {
  const values = [call.baseUrl, id]
  const statement = { name: `${kind.name}-one`, text: kind.select(`${kind.id} = $2`), values }
  const { rows } = await call.read(({ pointReads }) => pointReads.query<Found>(statement))
  return rows[0]
}

export type PageQuery = Selection & {
  filter?: string | undefined
  startIndex?: string | undefined
  count?: string | undefined
}

export async function findPage(call: Call<unknown, PageQuery>, kind: Kind): Promise<Page> {
  const { filter, startIndex: start, count } = call.query
  const startIndex = Math.max(1, numberIn('startIndex', start, 1))
  const limit = Math.min(Math.max(0, numberIn('count', count, COUNT_DEFAULT)), COUNT_MAX)
  const { values, ...statement } = pageStatement(kind, filter)
  const { rows } = await call.read(({ pool }) =>
    pool.query<Found & { total: number }>({
      ...statement,
      values: [call.baseUrl, startIndex - 1, limit, ...values],
    }),
  )
  const found = rows.filter(({ resource }) => resource !== null)
  return { found, total: rows[0]?.total ?? 0, startIndex }
}

function numberIn(name: string, given: string | undefined, otherwise: number): number {
  if (given === undefined) return otherwise
  if (!/^-?\d+$/.test(given)) throw refuse('invalidValue', `${name} must be a whole number.`)
  return Number(given)
}

const FIRST_VALUE = 4

/** Its first values are the base address, how many are skipped, and how many are shown. */
export function pageStatement(kind: Kind, filter?: string) {
  const where = whereOf(filter, kind.attributes)
  return { name: `${kind.name}-page-${where.name}`, text: pageText(kind, where), values: where.values }
}

function pageText(kind: Kind, where: Where): string {
  const page = 'SELECT id FROM found ORDER BY id OFFSET $2::bigint LIMIT $3::bigint'
  const ids = kind === GROUP_WITH_MEMBERS_KIND ? fewMembers(page) : page
  return `WITH found AS MATERIALIZED (
      SELECT ${kind.id} FROM ${kind.rows} AND ${where.condition(FIRST_VALUE)}
    )
    SELECT counted.total, page.* FROM (SELECT count(*)::int AS total FROM found) AS counted
    LEFT JOIN (${kind.select(`${kind.id} IN (${ids})`)}) AS page ON true ORDER BY page.id`
}

/** A page ends before it has too many members; the next one begins there. */
const fewMembers = (page: string) => `
  SELECT id FROM (
    SELECT id, row_number() OVER (ORDER BY id) AS ordinal,
      sum((SELECT count(*) FROM group_members WHERE group_id = page.id)) OVER (ORDER BY id) AS members
    FROM (${page}) AS page
  ) AS counted WHERE ordinal = 1 OR members <= ${MEMBERS_OF_PAGE_MAX}`
