// Resources as answers: each with its version, and only with the attributes that the request asks for.
import { etagOf } from '../../../shared/utilities/etags.ts'
import type { Answer } from '../../server/http/call.ts'
import { SCIM_TYPE } from './scim-errors.ts'
import { nameOf } from './scim-filters.ts'
import { isObject, type Members } from './scim-patch.ts'

/** A resource as Postgres has built it, and what its version is the hash of. */
export type Found = { resource: string; body: string }

export type Selection = { attributes?: string | undefined; excludedAttributes?: string | undefined }

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** The answer of a GET. */
export const answerFound = (found: Found, selection: Selection): Answer => ({
  status: 200,
  body: show(found, selection),
  contentType: SCIM_TYPE,
  hasETag: true,
  etag: etagOf(found.body),
})

/** The answer of a write: the resource as its GET shows it. */
export function answerWritten(found: Found, selection: Selection, status: number): Answer {
  const headers: Record<string, string> = { ETag: etagOf(found.body) }
  if (status === 201) headers.Location = String(JSON.parse(found.resource).meta.location)
  return { status, body: show(found, selection), contentType: SCIM_TYPE, headers }
}

export type Page = { found: Found[]; total: number; startIndex: number }

export function answerPage({ found, total, startIndex }: Page, selection: Selection): Answer {
  const resources = found.map((each) => show(each, selection))
  return answerList(resources, { totalResults: total, startIndex })
}

/** `resources` are finished JSON. */
export function answerList(
  resources: string[],
  { totalResults = resources.length, startIndex = 1 } = {},
): Answer {
  const start = { schemas: [LIST_SCHEMA], totalResults, startIndex, itemsPerPage: resources.length }
  const body = `${JSON.stringify(start).slice(0, -1)},"Resources":[${resources.join(',')}]}`
  return { status: 200, body, contentType: SCIM_TYPE, hasETag: true }
}

// The version is the last member of the last member.
function show({ resource, body }: Found, selection: Selection): string {
  const whole = `${resource.slice(0, -2)},"version":${JSON.stringify(etagOf(body))}}}`
  const { attributes, excludedAttributes } = selection
  if (attributes === undefined && excludedAttributes === undefined) return whole
  return JSON.stringify(select(JSON.parse(whole), namesIn(attributes), namesIn(excludedAttributes)))
}

const namesIn = (list = '') =>
  list
    .split(',')
    .map((name) => nameOf(name.trim()))
    .filter(Boolean)

/** Whether an answer needs this attribute. */
export function shows({ attributes, excludedAttributes }: Selection, attribute: string): boolean {
  if (attributes !== undefined) return namesIn(attributes).some((name) => rootOf(name) === attribute)
  return !namesIn(excludedAttributes).includes(attribute)
}

const rootOf = (name: string) => name.split('.')[0] ?? ''

const ALWAYS = new Set(['schemas', 'id'])

function select(resource: Members, wanted: string[], excluded: string[]): Members {
  const isShown = (path: string) =>
    ALWAYS.has(path) ||
    (wanted.length === 0
      ? !excluded.includes(path)
      : wanted.some((name) => name === path || path.startsWith(`${name}.`) || name.startsWith(`${path}.`)))
  return membersOf(resource, '', isShown)
}

function membersOf(object: Members, prefix: string, isShown: (path: string) => boolean): Members {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      const path = `${prefix}${name.toLowerCase()}`
      if (!isShown(path)) return []
      const inside = (each: unknown) => (isObject(each) ? membersOf(each, `${path}.`, isShown) : each)
      return [[name, Array.isArray(value) ? value.map(inside) : inside(value)]]
    }),
  )
}
