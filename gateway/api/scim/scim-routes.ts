// SCIM 2.0 over HTTP (RFC 7644): users and groups, for identity providers. Checks of tokens, limits and bodies are those
// of the API; bodies and failures are those of SCIM, which describes itself and is not in the OpenAPI document.
import * as yup from 'yup'
import type { InputOf, JobName, Outcome } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { exact } from '../../../shared/messages/strict.ts'
import { object, pathText, text } from '../../../shared/schemas/fields.ts'
import {
  newScimGroup,
  newScimUser,
  scimGroupChanges,
  scimUserChanges,
} from '../../../shared/scim/scim-jobs.ts'
import { SCIM } from '../../../shared/scim/scim-shape.ts'
import type { Answer, Call } from '../../server/http/call.ts'
import { endpoint, resource } from '../../server/http/endpoint.ts'
import { check } from '../../server/http/middleware/validate.ts'
import { answerFound, answerList, answerPage, answerWritten, type Selection } from './scim-answers.ts'
import { resourceTypes, schemas, serviceProviderConfig } from './scim-discovery.ts'
import { answerRefused, SCIM_TYPE } from './scim-errors.ts'
import { FILTER_LENGTH_MAX } from './scim-filters.ts'
import { readGroupChanges, readNewGroup, readWholeGroup } from './scim-groups.ts'
import type { Members } from './scim-patch.ts'
import { findOne, findPage, groupKindFor, type PageQuery, USER_KIND } from './scim-reads.ts'
import { readNewUser, readUserChanges, readWholeUser } from './scim-users.ts'

const selection = { attributes: text({ max: 2_000 }), excludedAttributes: text({ max: 2_000 }) }
const selectionQuery = object(selection)
const pageQuery = object({
  ...selection,
  filter: text({ max: FILTER_LENGTH_MAX }),
  startIndex: text({ max: 10 }),
  count: text({ max: 10 }),
})

const common = {
  protocol: { base: SCIM, bodyTypes: ['application/scim+json', 'application/json'] },
  answer: { status: 200 },
} as const
const withBody = { ...common, body: exact(yup.mixed()) }

type Ids = { id: number }
type OfOne = Call<Ids, Selection>

/** Ends with the resource as it is after the write. */
async function write<Name extends JobName>(
  call: Call<unknown, Selection>,
  job: Name,
  input: InputOf<Name>,
  { kind, status = 200 }: { kind: typeof USER_KIND; status?: number },
): Promise<Answer | undefined> {
  const outcome: Outcome = await call.dispatch(job, input)
  if (outcome.refused) return answerRefused(call, outcome)
  const { id } = JSON.parse(outcome.body ?? '').data as Ids
  const found = await findOne(call, kind, id)
  const replayed = outcome.replayed ? { replayed: outcome.replayed } : {}
  return found && { ...answerWritten(found, call.query, status), ...replayed }
}

/** The input of a job, whose fields providers must keep to. */
function valid<Input>(call: Call, schema: yup.Schema<Input>, fields: Input): Input {
  const errors: FieldErrors = {}
  const checked = check(schema, fields, errors, { part: 'body', context: { now: call.now } })
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return checked as Input
}

const one = (call: OfOne) => ({ id: call.params.id, if_match: call.ifMatch })

const users = resource({ tag: 'SCIM', ability: 'user-write', missing: USER_KIND.missing })({
  listScimUsers: endpoint('GET /Users', {
    ...common,
    summary: 'List users',
    query: pageQuery,
    handle: async (call) => answerPage(await findPage(call, USER_KIND), call.query),
  }),
  getScimUser: endpoint('GET /Users/{id}', {
    ...common,
    summary: 'Get a user',
    query: selectionQuery,
    async handle(call) {
      const found = await findOne(call, USER_KIND, call.params.id)
      return found && answerFound(found, call.query)
    },
  }),
  createScimUser: endpoint('POST /Users', {
    ...withBody,
    summary: 'Create a user',
    query: selectionQuery,
    handle: (call) =>
      write(call, 'scim.create-user', valid(call, newScimUser, readNewUser(call.body)), {
        kind: USER_KIND,
        status: 201,
      }),
  }),
  replaceScimUser: endpoint('PUT /Users/{id}', {
    ...withBody,
    summary: 'Replace a user',
    query: selectionQuery,
    handle: (call) =>
      write(
        call,
        'scim.update-user',
        { ...valid(call, scimUserChanges, readWholeUser(call.body)), ...one(call) },
        { kind: USER_KIND },
      ),
  }),
  updateScimUser: endpoint('PATCH /Users/{id}', {
    ...withBody,
    summary: 'Change a user',
    query: selectionQuery,
    handle(call) {
      const changes = valid(call, scimUserChanges, readUserChanges(call.body, call.params.id))
      return write(call, 'scim.update-user', { ...changes, ...one(call) }, { kind: USER_KIND })
    },
  }),
  deleteScimUser: endpoint('DELETE /Users/{id}', {
    ...common,
    summary: 'Delete a user (deactivates the user)',
    handle: (call) => remove(call as OfOne, 'scim.delete-user'),
  }),
})

async function remove(call: OfOne, job: 'scim.delete-user' | 'scim.delete-group'): Promise<Answer> {
  const outcome: Outcome = await call.dispatch(job, one(call))
  return outcome.refused ? answerRefused(call, outcome) : outcome
}

const groups = resource({ tag: 'SCIM', ability: 'user-write', missing: groupKindFor({}).missing })({
  listScimGroups: endpoint('GET /Groups', {
    ...common,
    summary: 'List groups',
    query: pageQuery,
    handle: async (call) =>
      answerPage(await findPage(call as Call<unknown, PageQuery>, groupKindFor(call.query)), call.query),
  }),
  getScimGroup: endpoint('GET /Groups/{id}', {
    ...common,
    summary: 'Get a group',
    query: selectionQuery,
    async handle(call) {
      const found = await findOne(call, groupKindFor(call.query), call.params.id)
      return found && answerFound(found, call.query)
    },
  }),
  createScimGroup: endpoint('POST /Groups', {
    ...withBody,
    summary: 'Create a group',
    query: selectionQuery,
    handle: (call) =>
      write(call, 'scim.create-group', valid(call, newScimGroup, readNewGroup(call.body)), {
        kind: groupKindFor(call.query),
        status: 201,
      }),
  }),
  replaceScimGroup: endpoint('PUT /Groups/{id}', {
    ...withBody,
    summary: 'Replace a group',
    query: selectionQuery,
    handle(call) {
      const changes = valid(call, scimGroupChanges, readWholeGroup(call.body))
      return write(
        call,
        'scim.update-group',
        { ...changes, ...one(call) },
        { kind: groupKindFor(call.query) },
      )
    },
  }),
  updateScimGroup: endpoint('PATCH /Groups/{id}', {
    ...withBody,
    summary: 'Change a group and its members',
    query: selectionQuery,
    async handle(call) {
      const changes = valid(call, scimGroupChanges, readGroupChanges(call.body, call.params.id))
      const input = { ...changes, ...one(call) }
      const { attributes } = call.query
      if (attributes !== undefined)
        return write(call, 'scim.update-group', input, { kind: groupKindFor(call.query) })
      // Without a body: the members may be thousands.
      const outcome: Outcome = await call.dispatch('scim.update-group', input)
      return outcome.refused ? answerRefused(call, outcome) : { ...outcome, status: 204, body: null }
    },
  }),
  deleteScimGroup: endpoint('DELETE /Groups/{id}', {
    ...common,
    summary: 'Delete a group',
    handle: (call) => remove(call as OfOne, 'scim.delete-group'),
  }),
})

const whole = (body: Members): Answer => ({
  status: 200,
  body: JSON.stringify(body),
  contentType: SCIM_TYPE,
  hasETag: true,
})
const listOf = (all: Members[]) => answerList(all.map((each) => JSON.stringify(each)))
const byId = { params: object({ id: pathText() }) }
function oneOf(all: Members[], call: { params: unknown }): Answer {
  const { id } = call.params as { id: string }
  const found = all.find((each) => each.id === id)
  if (!found) throw new Refusal('not_found', message`Not found.`)
  return whole(found)
}

const discovery = resource({ tag: 'SCIM', ability: null })({
  getScimServiceProviderConfig: endpoint('GET /ServiceProviderConfig', {
    ...common,
    summary: 'Get the features that the server supports',
    handle: async ({ baseUrl }) => whole(serviceProviderConfig(baseUrl)),
  }),
  listScimResourceTypes: endpoint('GET /ResourceTypes', {
    ...common,
    summary: 'List resource types',
    handle: async ({ baseUrl }) => listOf(resourceTypes(baseUrl)),
  }),
  getScimResourceType: endpoint('GET /ResourceTypes/{id}', {
    ...common,
    ...byId,
    summary: 'Get a resource type',
    handle: async (call) => oneOf(resourceTypes(call.baseUrl), call),
  }),
  listScimSchemas: endpoint('GET /Schemas', {
    ...common,
    summary: 'List schemas',
    handle: async ({ baseUrl }) => listOf(schemas(baseUrl)),
  }),
  getScimSchema: endpoint('GET /Schemas/{id}', {
    ...common,
    ...byId,
    summary: 'Get a schema',
    handle: async (call) => oneOf(schemas(call.baseUrl), call),
  }),
})

export const scim = [...discovery, ...users, ...groups]
