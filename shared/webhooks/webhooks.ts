// Webhooks: what their endpoints take and answer, and their jobs.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { fieldMessage } from '../messages/strict.ts'
import * as answer from '../schemas/answers.ts'
import { byId, choice, flag, list, object, required, text } from '../schemas/fields.ts'
import { write } from '../schemas/job.ts'
import { json, number, objectJson, rowJson, text as textJson, timestamp } from '../schemas/json.ts'
import { notEmpty } from '../schemas/lists.ts'
import { CHANGE_ACTIONS, CHANGE_TYPES } from './changes.ts'

/** The types that a webhook may subscribe to: `booking.created`, or `booking.*`. */
export const WEBHOOK_TYPES: readonly string[] = [
  '*',
  ...CHANGE_TYPES.flatMap((type) => [`${type}.*`, ...CHANGE_ACTIONS.map((action) => `${type}.${action}`)]),
]

const URL_MAX = 2_048

const type = choice(WEBHOOK_TYPES, (name) => message`${name} must be like booking.created, booking.* or *.`)

export const webhookUrl = () =>
  text({ max: URL_MAX, min: 1 }).test(
    'url',
    fieldMessage((name) => message`${name} must be an http or https address without a user name.`),
    (value) => value == null || isWebhookUrl(value),
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
  description: fields.description.optional(),
  enabled: fields.enabled.optional(),
})
export const webhookChangesSchema = object({
  url: fields.url.optional(),
  types: fields.types.optional(),
  description: fields.description.optional(),
  enabled: fields.enabled.optional(),
})

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
  disabled_reason: answer.text('Why Berth disabled it.').nullable(),
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
    secret: answer.text('Shown only now: deliveries are signed with it.'),
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
