// Defines the API schemas of webhooks, and the jobs that write webhooks.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import { choice, flag, id, list, object, required, rule, text } from '../schemas/fields.ts'
import { formVersion, idInput, notEmpty } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { json, number, objectJson, rowJson, text as textJson, timestamp } from '../schemas/json.ts'
import { dateTime } from '../schemas/times.ts'
import { CHANGE_TYPES, listChangeActions } from './changes.ts'

/** The types of change that a webhook may subscribe to, such as `booking.created` or `booking.*`. */
export const WEBHOOK_TYPES: readonly string[] = [
  '*',
  ...CHANGE_TYPES.flatMap((type) => [
    `${type}.*`,
    ...listChangeActions(type).map((action) => `${type}.${action}`),
  ]),
]

const URL_LENGTH_MAX = 2_048

const type = choice(
  WEBHOOK_TYPES,
  (name) => message`${name} must have the form booking.created, booking.* or *.`,
)

export const webhookUrlInput = ({ max } = { max: URL_LENGTH_MAX }) =>
  text({ max, min: 1 }).test(
    ...rule(
      'url',
      (name) => message`${name} must be an http or https address without a user name.`,
      isWebhookUrl,
    ),
  )

const webhookFields = {
  url: webhookUrlInput(),
  description: text({ max: 255 }),
  types: notEmpty(list(required(type), { max: WEBHOOK_TYPES.length, isDistinct: true })),
  enabled: flag(),
}

export const newWebhookSchema = object({
  ...webhookFields,
  url: required(webhookFields.url),
  types: required(webhookFields.types),
})
export const webhookChangesSchema = object(webhookFields)

function isWebhookUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return ['http:', 'https:'].includes(protocol) && username === '' && password === ''
}

const webhookMembers = {
  id: answer.id(),
  url: answer.text(),
  description: answer.text(),
  types: answer.list(answer.text()),
  enabled: answer.flag(),
  disabled_reason: answer.text('The reason why Berth disabled the webhook.').nullable(),
  failing_since: answer.timestamp().nullable(),
  created_at: answer.timestamp(),
}
export const webhookSchema = yup.object(webhookMembers).meta({ component: 'Webhook' })
export const webhookJson = rowJson(webhookSchema, 'webhooks')

/** The body of a test delivery. */
export const webhookTestJson = (delivery: string) =>
  objectJson({
    type: textJson(`${delivery}.type`),
    timestamp: timestamp(`${delivery}.change_at`),
    sequence: number(`${delivery}.change_sequence`),
    id: number('webhooks.id'),
    action: textJson("CAST('test' AS text)"),
    actor: json("'null'"),
    request_id: json("'null'"),
    data: webhookJson,
    previous: json("'null'"),
  })

export const webhookWithSecretSchema = yup
  .object({
    ...webhookMembers,
    secret: answer.text('The secret that signs deliveries. Returned only once.'),
  })
  .meta({ component: 'WebhookWithSecret' })
export const webhookWithSecretJson = rowJson(webhookWithSecretSchema, 'webhooks')

const webhookWithSecretReply = answer.data(webhookWithSecretSchema)

export const webhookJobs = {
  'webhooks.create': writeJob(newWebhookSchema, webhookWithSecretReply),
  'webhooks.update': writeJob(
    webhookChangesSchema.concat(idInput).shape({ version: formVersion() }),
    answer.data(webhookSchema),
  ),
  'webhooks.delete': writeJob(idInput, null),
  'webhooks.rotate-secret': writeJob(idInput, webhookWithSecretReply),
}

/** The type of a test delivery, which does not report a change. */
export const WEBHOOK_TEST = 'webhook.test'

/** The limit on deliveries that one request can resend. */
export const RESENT_DELIVERIES_MAX = 10_000

export const webhookDeliverySchema = yup
  .object({
    id: answer.id(),
    message: answer.text('The webhook-id, which is the same for each attempt.'),
    type: answer.text(),
    resource_id: answer.id('The id of the change; null for a test.').nullable(),
    sequence: answer.integer(),
    attempts: answer.integer(),
    next_at: answer.timestamp('When the next attempt is due; null if there are no more attempts.').nullable(),
    status: answer.integer().nullable(),
    error: answer.text().nullable(),
    answer: answer.text('The first 1,024 characters of the response.').nullable(),
    took_ms: answer.integer().nullable(),
    delivered_at: answer.timestamp().nullable(),
    created_at: answer.timestamp(),
  })
  .meta({ component: 'WebhookDelivery' })

/** SQL for the value of the header webhook-id for a delivery. */
export const webhookIdSql = (row: string) => `'msg_' || replace(${row}.message::text, '-', '')`

/** SQL for the id of the resource that a delivery is about. Null for a test delivery, and once the outbox no
 * longer contains the change. */
export const DELIVERED_RESOURCE_ID_SQL = `(
  SELECT resource_id FROM changes
  WHERE horizon = change_horizon AND sequence = change_sequence AND at = change_at)`

export const webhookDeliveryJson = rowJson(webhookDeliverySchema, 'webhook_deliveries', {
  message: webhookIdSql('webhook_deliveries'),
  resource_id: DELIVERED_RESOURCE_ID_SQL,
  sequence: 'webhook_deliveries.change_sequence',
})

export const failedDeliveriesSchema = object({
  since: required(dateTime()).meta({ description: 'Resends deliveries of changes from this time on.' }),
})

const resentDeliveriesSchema = yup
  .object({
    deliveries: answer.integer(),
    has_more: answer.flag(
      `Each request resends at most ${RESENT_DELIVERIES_MAX} deliveries; repeat it to resend the rest.`,
    ),
  })
  .meta({ component: 'WebhookDeliveriesSentAgain' })

const webhookIdFields = { webhook_id: required(id()) }
const delivery = answer.data(webhookDeliverySchema)

export const webhookDeliveryJobs = {
  'webhook-deliveries.test': writeJob(object(webhookIdFields), delivery),
  'webhook-deliveries.send-again': writeJob(object({ ...webhookIdFields, id: required(id()) }), delivery),
  'webhook-deliveries.send-failed': writeJob(
    failedDeliveriesSchema.concat(object(webhookIdFields)),
    answer.data(resentDeliveriesSchema),
  ),
}
