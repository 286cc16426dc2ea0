// Deliveries of webhooks: what the API shows of them, and the jobs that send them again.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { id, object, required } from '../schemas/fields.ts'
import { write } from '../schemas/job.ts'
import { rowJson } from '../schemas/json.ts'
import { dateTime } from '../schemas/times.ts'

/** The type of a test delivery, which reports no change. */
export const WEBHOOK_TEST = 'webhook.test'

/** How many deliveries one request sends again. */
export const SENT_AGAIN_MAX = 10_000

export const webhookDeliverySchema = yup
  .object({
    id: answer.id(),
    message: answer.text('webhook-id: the same for each attempt.'),
    type: answer.text(),
    resource_id: answer.id('What was changed; null for a test.').nullable(),
    sequence: answer.integer(),
    attempts: answer.integer(),
    next_at: answer.timestamp('When it is tried next; null when it is over.').nullable(),
    status: answer.integer().nullable(),
    error: answer.text().nullable(),
    answer: answer.text('Its first 1,024 characters.').nullable(),
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
  since: required(dateTime()).meta({ description: 'Deliveries of changes from this moment on.' }),
})

const sentAgainSchema = yup
  .object({
    deliveries: answer.integer(),
    has_more: answer.flag(`Each request sends ${SENT_AGAIN_MAX} at most: ask again.`),
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
