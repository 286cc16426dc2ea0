// The caller's own token over HTTP.
import type * as yup from 'yup'
import { message } from '../../../../shared/messages/message.ts'
import { contractOf, list } from '../../../../shared/schemas/answers.ts'
import { integer, object, queryFlag, queryNumber } from '../../../../shared/schemas/fields.ts'
import {
  jsonWhere,
  listJson,
  memberWhere,
  number,
  objectJson,
  rowJson,
  selectData,
  selectJson,
  text,
} from '../../../../shared/schemas/json.ts'
import { loggedRequestSchema, ownTokenSchema } from '../../../../shared/tokens/tokens.ts'
import type { Answer, Call } from '../../../server/http/call.ts'
import { endpoint, read, resource } from '../../../server/http/endpoint.ts'
import { KEPT_MAX } from '../../../server/operations/request-log.ts'

const building = objectJson({ id: number('buildings.id'), name: text('buildings.name') })

const user = objectJson({
  id: number('users.id'),
  name: text('users.name'),
  email: text('users.email'),
})

const token = rowJson(ownTokenSchema, 'tokens', {
  addresses: 'tokens.addresses::text[]',
  buildings: jsonWhere(
    'tokens.building_ids IS NOT NULL',
    selectJson(
      listJson(building, 'buildings.id'),
      'FROM buildings WHERE buildings.id = ANY (tokens.building_ids)',
    ),
  ),
  rate_limit_per_minute: 'coalesce(tokens.rate_limit_per_minute, $2)',
  user: memberWhere(
    'tokens.user_id IS NOT NULL',
    selectJson(user, 'FROM users WHERE users.id = tokens.user_id'),
  ),
})

const requestsQuery = object({
  status: queryNumber(integer({ min: 100, max: 599 })),
  refused: queryFlag().meta({
    description: 'Returns only requests that were refused (`true`), or only those that were not (`false`).',
  }),
  limit: queryNumber(integer({ min: 1, max: KEPT_MAX })).meta({
    description: 'The maximum number of requests. Defaults to 100.',
  }),
})

type RequestsQuery = yup.InferType<typeof requestsQuery>

export const tokens = resource({ tag: 'Tokens', ability: null })({
  getToken: read('/me', {
    personal: 'own',
    summary: 'Get the current token',
    description:
      'Returns the token’s name, abilities, expiry, allowed networks, buildings, owner and rate limit per minute.',
    answer: ownTokenSchema,
    missing: message`The token has been deleted.`,
    statement: { name: 'find-own-token', text: selectData(token, 'tokens WHERE tokens.id = $1') },
    values: ({ token, services }) => [token.id, services.config.rateLimitPerMinute],
  }),
  listRequests: endpoint('GET /me/requests', {
    personal: 'own',
    summary: 'List the last requests of the current token',
    description:
      'Returns up to 1,000 requests of the last 7 days, newest first, without queries and bodies. Requests to other gateway processes appear within a second.',
    query: requestsQuery,
    answer: contractOf(list(loggedRequestSchema)),
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
