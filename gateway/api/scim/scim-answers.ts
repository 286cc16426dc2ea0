// Builds responses from SCIM resources. Each resource has its version, and only the attributes that the request asks
// for.
import { computeEtag } from '../../../shared/utilities/etags.ts'
import type { Answer } from '../../server/http/call.ts'
import { SCIM_MEDIA_TYPE } from './scim-errors.ts'
import { normalizeAttributeName } from './scim-filters.ts'
import { isObject, type ScimMembers } from './scim-patch.ts'

/** A resource as JSON from Postgres, and the text whose hash is the resource's version. */
export type FoundResource = { resource: string; body: string }

export type AttributeSelection = { attributes?: string | undefined; excludedAttributes?: string | undefined }

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** Returns the response to a GET of the resource. */
export const answerResource = (found: FoundResource, selection: AttributeSelection): Answer => ({
  status: 200,
  body: formatResource(found, selection),
  contentType: SCIM_MEDIA_TYPE,
  hasETag: true,
  etag: computeEtag(found.body),
})

/** Returns the response to a write, with the resource as a GET would show it. */
export function answerWrite(found: FoundResource, selection: AttributeSelection, status: number): Answer {
  const headers: Record<string, string> = { ETag: computeEtag(found.body) }
  if (status === 201) headers.Location = String(JSON.parse(found.resource).meta.location)
  return { status, body: formatResource(found, selection), contentType: SCIM_MEDIA_TYPE, headers }
}

export type ScimPage = { found: FoundResource[]; total: number; startIndex: number }

export function answerScimPage(
  { found, total, startIndex }: ScimPage,
  selection: AttributeSelection,
): Answer {
  const resources = found.map((each) => formatResource(each, selection))
  return answerScimList(resources, { totalResults: total, startIndex })
}

/** Returns a page of a listing. `resources` are already JSON text. */
export function answerScimList(
  resources: string[],
  { totalResults = resources.length, startIndex = 1 } = {},
): Answer {
  const start = { schemas: [LIST_SCHEMA], totalResults, startIndex, itemsPerPage: resources.length }
  const body = `${JSON.stringify(start).slice(0, -1)},"Resources":[${resources.join(',')}]}`
  return { status: 200, body, contentType: SCIM_MEDIA_TYPE, hasETag: true }
}

// Adds the version as the last member of `meta`, which is the last member of the resource.
function formatResource({ resource, body }: FoundResource, selection: AttributeSelection): string {
  const whole = `${resource.slice(0, -2)},"version":${JSON.stringify(computeEtag(body))}}}`
  const { attributes, excludedAttributes } = selection
  if (attributes === undefined && excludedAttributes === undefined) return whole
  return JSON.stringify(
    selectAttributes(
      JSON.parse(whole),
      parseAttributeNames(attributes),
      parseAttributeNames(excludedAttributes),
    ),
  )
}

const parseAttributeNames = (list = '') =>
  list
    .split(',')
    .map((name) => normalizeAttributeName(name.trim()))
    .filter(Boolean)

/** Returns whether the response needs this attribute. */
export function includesAttribute(
  { attributes, excludedAttributes }: AttributeSelection,
  attribute: string,
): boolean {
  if (attributes !== undefined)
    return parseAttributeNames(attributes).some((name) => findRootAttribute(name) === attribute)
  return !parseAttributeNames(excludedAttributes).includes(attribute)
}

const findRootAttribute = (name: string) => name.split('.')[0] ?? ''

const ALWAYS_INCLUDED = new Set(['schemas', 'id'])

function selectAttributes(resource: ScimMembers, wanted: string[], excluded: string[]): ScimMembers {
  const isShown = (path: string) =>
    ALWAYS_INCLUDED.has(path) ||
    (wanted.length === 0
      ? !excluded.includes(path)
      : wanted.some((name) => name === path || path.startsWith(`${name}.`) || name.startsWith(`${path}.`)))
  return selectMembers(resource, '', isShown)
}

function selectMembers(object: ScimMembers, prefix: string, isShown: (path: string) => boolean): ScimMembers {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      const path = `${prefix}${name.toLowerCase()}`
      if (!isShown(path)) return []
      const inside = (each: unknown) => (isObject(each) ? selectMembers(each, `${path}.`, isShown) : each)
      return [[name, Array.isArray(value) ? value.map(inside) : inside(value)]]
    }),
  )
}
