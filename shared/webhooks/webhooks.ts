// Webhooks: what their endpoints take and answer, and their jobs.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import { choice, flag, id, list, object, required, rule, text } from '../schemas/fields.ts'
import { byId, notEmpty } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { json, number, objectJson, rowJson, text as textJson, timestamp } from '../schemas/json.ts'
import { dateTime } from '../schemas/times.ts'
import { actionsOf, CHANGE_TYPES } from './changes.ts'

/** The types that a webhook may subscribe to: `booking.created`, or `booking.*`. */
export const WEBHOOK_TYPES: readonly string[] = [
  '*',
  ...CHANGE_TYPES.flatMap((type) => [`${type}.*`, ...actionsOf(type).map((action) => `${type}.${action}`)]),
]

const URL_MAX = 2_048

const type = choice(WEBHOOK_TYPES, (name) => message`${name} must be like booking.created, booking.* or *.`)

export const webhookUrl = () =>
  text({ max: URL_MAX, min: 1 }).test(
    ...rule(
      'url',
      (name) => message`${name} must be an http or https address without a user name.`,
      isWebhookUrl,
    ),
  )

const fields = {
  url: webhookUrl(),
  description: text({ max: 255 }),
  types: notEmpty(list(required(type), { max: WEBHOOK_TYPES.length, isDistinct: true })),
  enabled: flag(),
}

export const newWebhookSchema = object({
  ...fields,
  url: required(fields.url),
  types: required(fields.types),
})
export const webhookChangesSchema = object(fields)

function isWebhookUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return ['http:', 'https:'].includes(protocol) && username === '' && password === ''
}

const members = {
  id: answer.id(),
  url: answer.text(),
  description: answer.text(),
  types: answer.list(answer.text()),
  enabled: answer.flag(),
  disabled_reason: answer.text('The reason why Berth disabled the webhook.').nullable(),
  failing_since: answer.timestamp().nullable(),
  created_at: answer.timestamp(),
}
export const webhookSchema = yup.object(members).meta({ component: 'Webhook' })
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
    ...members,
    secret: answer.text('The secret that signs deliveries. Returned only once.'),
  })
  .meta({ component: 'WebhookWithSecret' })
export const webhookWithSecretJson = rowJson(webhookWithSecretSchema, 'webhooks')

const withSecret = answer.data(webhookWithSecretSchema)

export const webhookJobs = {
  'webhooks.create': write(newWebhookSchema, withSecret),
  'webhooks.update': write(webhookChangesSchema.concat(byId), answer.data(webhookSchema)),
  'webhooks.delete': write(byId, null),
  'webhooks.rotate-secret': write(byId, withSecret),
}

/** The type of a test delivery, which reports no change. */
export const WEBHOOK_TEST = 'webhook.test'

/** How many deliveries one request sends again. */
export const SENT_AGAIN_MAX = 10_000

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

/** SQL: the webhook-id of a delivery. */
export const deliveryMessage = (row: string) => `'msg_' || replace(${row}.message::text, '-', '')`

/** SQL: the id of what a delivery tells of; null for a test, and once the outbox has forgotten the change. */
export const DELIVERED_RESOURCE = `(
  SELECT resource_id FROM changes
  WHERE horizon = change_horizon AND sequence = change_sequence AND at = change_at)`

export const webhookDeliveryJson = rowJson(webhookDeliverySchema, 'webhook_deliveries', {
  message: deliveryMessage('webhook_deliveries'),
  resource_id: DELIVERED_RESOURCE,
  sequence: 'webhook_deliveries.change_sequence',
})

export const failedDeliveriesSchema = object({
  since: required(dateTime()).meta({ description: 'Resends deliveries of changes from this time on.' }),
})

const sentAgainSchema = yup
  .object({
    deliveries: answer.integer(),
    has_more: answer.flag(
      `Each request resends at most ${SENT_AGAIN_MAX} deliveries; repeat it to resend the rest.`,
    ),
  })
  .meta({ component: 'WebhookDeliveriesSentAgain' })

const webhook = { webhook_id: required(id()) }
const delivery = answer.data(webhookDeliverySchema)

export const webhookDeliveryJobs = {
  'webhook-deliveries.test': write(object(webhook), delivery),
  'webhook-deliveries.send-again': write(object({ ...webhook, id: required(id()) }), delivery),
  'webhook-deliveries.send-failed': write(
    failedDeliveriesSchema.concat(object(webhook)),
    answer.data(sentAgainSchema),
  ),
}
