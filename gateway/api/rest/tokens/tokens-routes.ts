// The API endpoints for the caller's own token.
import type * as yup from 'yup'
import { message } from '../../../../shared/messages/message.ts'
import { createAnswerContract, list } from '../../../../shared/schemas/answers.ts'
import { integer, object, queryFlag, queryNumber } from '../../../../shared/schemas/fields.ts'
import {
  jsonOrNull,
  listJson,
  number,
  objectJson,
  optionalMemberJson,
  rowJson,
  selectDataBodySql,
  selectJson,
  text,
} from '../../../../shared/schemas/json.ts'
import { loggedRequestSchema, ownTokenSchema } from '../../../../shared/tokens/tokens.ts'
import type { Answer, Call } from '../../../server/http/call.ts'
import {
  declareEndpoint,
  declareReadEndpoint,
  declareResourceEndpoints,
} from '../../../server/http/endpoint.ts'
import { REQUESTS_KEPT_MAX } from '../../../server/operations/request-log.ts'

const buildingJson = objectJson({ id: number('buildings.id'), name: text('buildings.name') })

const userJson = objectJson({
  id: number('users.id'),
  name: text('users.name'),
  email: text('users.email'),
})

const token = rowJson(ownTokenSchema, 'tokens', {
  addresses: 'tokens.addresses::text[]',
  buildings: jsonOrNull(
    'tokens.building_ids IS NOT NULL',
    selectJson(
      listJson(buildingJson, 'buildings.id'),
      'FROM buildings WHERE buildings.id = ANY (tokens.building_ids)',
    ),
  ),
  rate_limit_per_minute: 'coalesce(tokens.rate_limit_per_minute, $2)',
  user: optionalMemberJson(
    'tokens.user_id IS NOT NULL',
    selectJson(userJson, 'FROM users WHERE users.id = tokens.user_id'),
  ),
})

const tokenRequestsQuery = object({
  status: queryNumber(integer({ min: 100, max: 599 })),
  refused: queryFlag().meta({
    description: 'Returns only requests that were refused (`true`), or only those that were not (`false`).',
  }),
  limit: queryNumber(integer({ min: 1, max: REQUESTS_KEPT_MAX })).meta({
    description: 'The maximum number of requests. Defaults to 100.',
  }),
})

type RequestsQuery = yup.InferType<typeof tokenRequestsQuery>

export const tokenEndpoints = declareResourceEndpoints({ tag: 'Tokens', ability: null })({
  getToken: declareReadEndpoint('/me', {
    personal: 'own',
    summary: 'Get the current token',
    description:
      'Returns the token’s name, abilities, expiry, allowed networks, buildings, owner and rate limit per minute.',
    answer: ownTokenSchema,
    missing: message`The token has been deleted.`,
    statement: { name: 'find-own-token', text: selectDataBodySql(token, 'tokens WHERE tokens.id = $1') },
    values: ({ token, services }) => [token.id, services.config.rateLimitPerMinute],
  }),
  listRequests: declareEndpoint('GET /me/requests', {
    personal: 'own',
    summary: 'List the last requests of the current token',
    description:
      'Returns up to 1,000 requests of the last 7 days, newest first, without queries and bodies. Requests to other gateway processes appear within a second.',
    query: tokenRequestsQuery,
    answer: createAnswerContract(list(loggedRequestSchema)),
    refusals: ['not_found'],
    missing: message`The request log is switched off.`,
    handle: listRequests,
  }),
})

async function listRequests(call: Call<unknown, RequestsQuery>): Promise<Answer | undefined> {
  const { requestLog } = call.services
  if (!requestLog.isOn) return undefined
  const { status, refused, limit = 100 } = call.query
  const requests = await requestLog.list(call.token.id)
  const found = requests
    .filter((each) => status === undefined || each.status === status)
    .filter(({ code }) => refused === undefined || (code !== null) === refused)
    .slice(0, limit)
  return { status: 200, body: JSON.stringify({ data: found }) }
}
