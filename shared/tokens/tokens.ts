// API tokens: the jobs that create and revoke them. Only the gateway that created a secret knows it; all others see its
// hash.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import {
  choice,
  id,
  integer,
  list,
  object,
  required,
  rule,
  text,
  treatNullAsAbsent,
} from '../schemas/fields.ts'
import { idInput, idList, notEmpty, sha256 } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { dateTime } from '../schemas/times.ts'
import { isNetwork } from '../utilities/private-networks.ts'
import { ABILITIES, OVERLAP_SECONDS_MAX, TOKEN_BUILDINGS_MAX } from './token-store.ts'

/** The information that a token may read about itself. */
export const ownTokenSchema = yup
  .object({
    id: answer.id(),
    name: answer.text(),
    abilities: answer.list(answer.oneOf([...ABILITIES])),
    expires_at: answer.timestamp('When the token expires; null if it never expires.').nullable(),
    addresses: answer
      .list(answer.text())
      .nullable()
      .meta({ description: 'The networks (CIDR) from which the token can be used; null means anywhere.' }),
    buildings: answer
      .list(yup.object({ id: answer.id(), name: answer.text() }))
      .nullable()
      .meta({ description: 'The buildings that the token can access; null means all.' }),
    rate_limit_per_minute: answer.integer(),
    user: yup
      .object({ id: answer.id(), name: answer.text(), email: answer.text() })
      .optional()
      .meta({ description: 'The owner. Set only on personal tokens.', sometimes: true }),
  })
  .meta({ component: 'Token' })

/** A request that a token made, as its owner sees it. */
export const loggedRequestSchema = yup
  .object({
    time: answer.timestamp('When the request arrived.'),
    method: answer.text(),
    path: answer.text('Without the query, and with `{email}` in place of an e-mail address.', {
      examples: ['/api/v1/bookings'],
    }),
    status: answer.integer(),
    code: answer.text('The code of the refusal; null if the request was not refused.').nullable(),
    request_id: answer.text(),
    duration_ms: answer.integer(),
  })
  .meta({ component: 'LoggedRequest' })

export type LoggedRequest = yup.InferType<typeof loggedRequestSchema>

/** The limit on networks from which a token can be used. */
export const NETWORKS_MAX = 100

const networkInput = text({ max: 64, min: 1 }).test(
  ...rule(
    'network',
    (name) => message`${name} must be an address or a network such as 192.0.2.0/24.`,
    isNetwork,
  ),
)

const RATE_LIMIT_MAX = 2 ** 31 - 1

const abilityInput = choice(ABILITIES, (name) => message`${name} must be one of ${ABILITIES.join(', ')}.`)

export const tokenJobs = {
  'tokens.create': writeJob(
    object({
      name: required(text({ max: 255, min: 1 })),
      abilities: required(notEmpty(list(required(abilityInput), { max: ABILITIES.length }))),
      hash: required(sha256()),
      expires_at: required(dateTime()).nullable(),
      rate_limit_per_minute: required(integer({ min: 1, max: RATE_LIMIT_MAX })).nullable(),
      addresses: treatNullAsAbsent(notEmpty(list(required(networkInput), { max: NETWORKS_MAX }))),
      building_ids: treatNullAsAbsent(idList({ max: TOKEN_BUILDINGS_MAX })),
      user_id: treatNullAsAbsent(id()),
    }),
    answer.idReply,
  ),
  'tokens.rotate': writeJob(
    object({
      id: required(id()),
      hash: required(sha256()),
      overlap_seconds: required(integer({ min: 0, max: OVERLAP_SECONDS_MAX })),
    }),
    answer.idReply,
  ),
  'tokens.revoke': writeJob(idInput, answer.idReply),
}
