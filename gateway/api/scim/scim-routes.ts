// The endpoints of SCIM 2.0 (RFC 7644): users and groups, for identity providers. They check tokens, limits and bodies
// the way the API does, but have SCIM's bodies and errors. They are not in the OpenAPI document, because SCIM describes
// itself.
import * as yup from 'yup'
import type { InputOf, JobName, Outcome } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { turnOffTypeConversion } from '../../../shared/messages/strict.ts'
import { object, pathText, text } from '../../../shared/schemas/fields.ts'
import {
  newScimGroupInput,
  newScimUserInput,
  scimGroupChangesInput,
  scimUserChangesInput,
} from '../../../shared/scim/scim-jobs.ts'
import { SCIM_PATH } from '../../../shared/scim/scim-shape.ts'
import type { Answer, Call } from '../../server/http/call.ts'
import { declareEndpoint, declareResourceEndpoints } from '../../server/http/endpoint.ts'
import { checkInput } from '../../server/http/middleware/validate.ts'
import {
  type AttributeSelection,
  answerResource,
  answerScimList,
  answerScimPage,
  answerWrite,
} from './scim-answers.ts'
import { describeServiceProvider, listResourceTypes, scimSchemas } from './scim-discovery.ts'
import { answerRefusal, SCIM_MEDIA_TYPE } from './scim-errors.ts'
import { FILTER_LENGTH_MAX } from './scim-filters.ts'
import { readGroupChanges, readNewGroup, readWholeGroup } from './scim-groups.ts'
import type { ScimMembers } from './scim-patch.ts'
import {
  chooseGroupKind,
  findResource,
  findResourcePage,
  type PageQuery,
  SCIM_USER_KIND,
} from './scim-reads.ts'
import { readNewUser, readUserChanges, readWholeUser } from './scim-users.ts'

const selectionFields = { attributes: text({ max: 2_000 }), excludedAttributes: text({ max: 2_000 }) }
const selectionQuery = object(selectionFields)
const pageQuery = object({
  ...selectionFields,
  filter: text({ max: FILTER_LENGTH_MAX }),
  startIndex: text({ max: 10 }),
  count: text({ max: 10 }),
})

const endpointOptions = {
  protocol: { base: SCIM_PATH, bodyTypes: ['application/scim+json', 'application/json'] },
  answer: { status: 200 },
} as const
const bodyOptions = { ...endpointOptions, body: turnOffTypeConversion(yup.mixed()) }

type ResourceParams = { id: number }
type ResourceCall = Call<ResourceParams, AttributeSelection>

/** Runs the job of a write, and responds with the resource as it is after the write. */
async function runWrite<Name extends JobName>(
  call: Call<unknown, AttributeSelection>,
  job: Name,
  input: InputOf<Name>,
  { kind, status = 200 }: { kind: typeof SCIM_USER_KIND; status?: number },
): Promise<Answer | undefined> {
  const outcome: Outcome = await call.dispatch(job, input)
  if (outcome.refused) return answerRefusal(call, outcome)
  const { id } = JSON.parse(outcome.body ?? '').data as ResourceParams
  const found = await findResource(call, kind, id)
  const replayed = outcome.replayed ? { replayed: outcome.replayed } : {}
  return found && { ...answerWrite(found, call.query, status), ...replayed }
}

/** Validates the input of a job. Refuses invalid input with the errors of each field. */
function validateInput<Input>(call: Call, schema: yup.Schema<Input>, fields: Input): Input {
  const errors: FieldErrors = {}
  const checked = checkInput(schema, fields, errors, { part: 'body', context: { now: call.now } })
  if (Object.keys(errors).length > 0) throw invalidFields(errors)
  return checked as Input
}

const toJobTarget = (call: ResourceCall) => ({ id: call.params.id, if_match: call.ifMatch })

const userEndpoints = declareResourceEndpoints({
  tag: 'SCIM',
  ability: 'user-write',
  missing: SCIM_USER_KIND.missing,
})({
  listScimUsers: declareEndpoint('GET /Users', {
    ...endpointOptions,
    summary: 'List users',
    query: pageQuery,
    handle: async (call) => answerScimPage(await findResourcePage(call, SCIM_USER_KIND), call.query),
  }),
  getScimUser: declareEndpoint('GET /Users/{id}', {
    ...endpointOptions,
    summary: 'Get a user',
    query: selectionQuery,
    async handle(call) {
      const found = await findResource(call, SCIM_USER_KIND, call.params.id)
      return found && answerResource(found, call.query)
    },
  }),
  createScimUser: declareEndpoint('POST /Users', {
    ...bodyOptions,
    summary: 'Create a user',
    query: selectionQuery,
    handle: (call) =>
      runWrite(call, 'scim.create-user', validateInput(call, newScimUserInput, readNewUser(call.body)), {
        kind: SCIM_USER_KIND,
        status: 201,
      }),
  }),
  replaceScimUser: declareEndpoint('PUT /Users/{id}', {
    ...bodyOptions,
    summary: 'Replace a user',
    query: selectionQuery,
    handle: (call) =>
      runWrite(
        call,
        'scim.update-user',
        { ...validateInput(call, scimUserChangesInput, readWholeUser(call.body)), ...toJobTarget(call) },
        { kind: SCIM_USER_KIND },
      ),
  }),
  updateScimUser: declareEndpoint('PATCH /Users/{id}', {
    ...bodyOptions,
    summary: 'Change a user',
    query: selectionQuery,
    handle(call) {
      const changes = validateInput(call, scimUserChangesInput, readUserChanges(call.body, call.params.id))
      return runWrite(
        call,
        'scim.update-user',
        { ...changes, ...toJobTarget(call) },
        { kind: SCIM_USER_KIND },
      )
    },
  }),
  deleteScimUser: declareEndpoint('DELETE /Users/{id}', {
    ...endpointOptions,
    summary: 'Delete a user (deactivates the user)',
    handle: (call) => removeResource(call as ResourceCall, 'scim.delete-user'),
  }),
})

async function removeResource(
  call: ResourceCall,
  job: 'scim.delete-user' | 'scim.delete-group',
): Promise<Answer> {
  const outcome: Outcome = await call.dispatch(job, toJobTarget(call))
  return outcome.refused ? answerRefusal(call, outcome) : outcome
}

const groupEndpoints = declareResourceEndpoints({
  tag: 'SCIM',
  ability: 'user-write',
  missing: chooseGroupKind({}).missing,
})({
  listScimGroups: declareEndpoint('GET /Groups', {
    ...endpointOptions,
    summary: 'List groups',
    query: pageQuery,
    handle: async (call) =>
      answerScimPage(
        await findResourcePage(call as Call<unknown, PageQuery>, chooseGroupKind(call.query)),
        call.query,
      ),
  }),
  getScimGroup: declareEndpoint('GET /Groups/{id}', {
    ...endpointOptions,
    summary: 'Get a group',
    query: selectionQuery,
    async handle(call) {
      const found = await findResource(call, chooseGroupKind(call.query), call.params.id)
      return found && answerResource(found, call.query)
    },
  }),
  createScimGroup: declareEndpoint('POST /Groups', {
    ...bodyOptions,
    summary: 'Create a group',
    query: selectionQuery,
    handle: (call) =>
      runWrite(call, 'scim.create-group', validateInput(call, newScimGroupInput, readNewGroup(call.body)), {
        kind: chooseGroupKind(call.query),
        status: 201,
      }),
  }),
  replaceScimGroup: declareEndpoint('PUT /Groups/{id}', {
    ...bodyOptions,
    summary: 'Replace a group',
    query: selectionQuery,
    handle(call) {
      const changes = validateInput(call, scimGroupChangesInput, readWholeGroup(call.body))
      return runWrite(
        call,
        'scim.update-group',
        { ...changes, ...toJobTarget(call) },
        { kind: chooseGroupKind(call.query) },
      )
    },
  }),
  updateScimGroup: declareEndpoint('PATCH /Groups/{id}', {
    ...bodyOptions,
    summary: 'Change a group and its members',
    query: selectionQuery,
    async handle(call) {
      const changes = validateInput(call, scimGroupChangesInput, readGroupChanges(call.body, call.params.id))
      const input = { ...changes, ...toJobTarget(call) }
      const { attributes } = call.query
      if (attributes !== undefined)
        return runWrite(call, 'scim.update-group', input, { kind: chooseGroupKind(call.query) })
      // Responds without a body, because a group may have thousands of members.
      const outcome: Outcome = await call.dispatch('scim.update-group', input)
      return outcome.refused ? answerRefusal(call, outcome) : { ...outcome, status: 204, body: null }
    },
  }),
  deleteScimGroup: declareEndpoint('DELETE /Groups/{id}', {
    ...endpointOptions,
    summary: 'Delete a group',
    handle: (call) => removeResource(call as ResourceCall, 'scim.delete-group'),
  }),
})

const answerWithAttributes = (body: ScimMembers): Answer => ({
  status: 200,
  body: JSON.stringify(body),
  contentType: SCIM_MEDIA_TYPE,
  hasETag: true,
})
const answerList = (all: ScimMembers[]) => answerScimList(all.map((each) => JSON.stringify(each)))
const idParams = { params: object({ id: pathText() }) }
function findById(all: ScimMembers[], call: { params: unknown }): Answer {
  const { id } = call.params as { id: string }
  const found = all.find((each) => each.id === id)
  if (!found) throw new Refusal('not_found', message`Not found.`)
  return answerWithAttributes(found)
}

const discoveryEndpoints = declareResourceEndpoints({ tag: 'SCIM', ability: null })({
  getScimServiceProviderConfig: declareEndpoint('GET /ServiceProviderConfig', {
    ...endpointOptions,
    summary: 'Get the features that the server supports',
    handle: async ({ baseUrl }) => answerWithAttributes(describeServiceProvider(baseUrl)),
  }),
  listScimResourceTypes: declareEndpoint('GET /ResourceTypes', {
    ...endpointOptions,
    summary: 'List resource types',
    handle: async ({ baseUrl }) => answerList(listResourceTypes(baseUrl)),
  }),
  getScimResourceType: declareEndpoint('GET /ResourceTypes/{id}', {
    ...endpointOptions,
    ...idParams,
    summary: 'Get a resource type',
    handle: async (call) => findById(listResourceTypes(call.baseUrl), call),
  }),
  listScimSchemas: declareEndpoint('GET /Schemas', {
    ...endpointOptions,
    summary: 'List schemas',
    handle: async ({ baseUrl }) => answerList(scimSchemas(baseUrl)),
  }),
  getScimSchema: declareEndpoint('GET /Schemas/{id}', {
    ...endpointOptions,
    ...idParams,
    summary: 'Get a schema',
    handle: async (call) => findById(scimSchemas(call.baseUrl), call),
  }),
})

export const scimEndpoints = [...discoveryEndpoints, ...userEndpoints, ...groupEndpoints]
