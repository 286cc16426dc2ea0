// Answers that are one of several objects, told apart by one of their members: changes by the type of the resource,
// results of a batch by their status.
import { changedBookingSchema } from '../../../shared/bookings/bookings.ts'
import { REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { actionsOf, type ChangeType } from '../../../shared/webhooks/changes.ts'
import { WEBHOOK_TEST, webhookSchema } from '../../../shared/webhooks/webhooks.ts'
import { type Components, type JsonSchema, toJsonSchema } from './json-schema.ts'
import { pascalCase } from './parameters.ts'

/** The component that shows the resource in a change. */
const SHOWN: Record<ChangeType, string> = {
  booking: 'ChangedBooking',
  booking_request: 'BookingRequest',
  event: 'TodaysEvent',
  bookable: 'BookableDetails',
  location: 'LocationInBuilding',
  building: 'Building',
  user: 'User',
  group: 'Group',
}

type Schema = JsonSchema & { required: string[]; properties: Record<string, JsonSchema> }

/** Replaces each of these components, if the document has it, by a union. */
export function describeUnions(components: Components): void {
  const { Change, WebhookMessage, BookingBatchItem } = components as Record<string, Schema | undefined>
  if (Change) {
    toJsonSchema(changedBookingSchema, 'answer', components)
    const variants = resourceTypes.map((type) =>
      variant(Change, [type], SHOWN[type], `${pascalCase(type)}Change`),
    )
    components.Change = unionByType(variants, components)
  }
  if (WebhookMessage) {
    toJsonSchema(webhookSchema, 'answer', components)
    const variants = resourceTypes.map((type) => {
      const types = actionsOf(type).map((action) => `${type}.${action}`)
      return variant(WebhookMessage, types, SHOWN[type], `${pascalCase(type)}WebhookMessage`)
    })
    components.WebhookMessage = unionByType([...variants, testMessage(WebhookMessage)], components)
  }
  if (BookingBatchItem) components.BookingBatchItem = union(batchItems(BookingBatchItem), components)
}

const resourceTypes = Object.keys(SHOWN) as ChangeType[]

type Variant = { name: string; values: string[]; schema: JsonSchema }

const reference = (name: string) => `#/components/schemas/${name}`

function union(variants: Variant[], components: Components): JsonSchema {
  for (const { name, schema } of variants) components[name] = schema
  return { oneOf: variants.map(({ name }) => ({ $ref: reference(name) })) }
}

function unionByType(variants: Variant[], components: Components): JsonSchema {
  return {
    ...union(variants, components),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(
        variants.flatMap(({ name, values }) => values.map((value) => [value, reference(name)])),
      ),
    },
  }
}

function variant(base: Schema, values: string[], shown: string, name: string): Variant {
  const { type, data, previous, ...properties } = base.properties
  const orNull = (member: JsonSchema | undefined) => ({
    oneOf: [{ $ref: `#/components/schemas/${shown}` }, { type: 'null' }],
    description: member?.description,
  })
  const own = { type: { ...type, enum: values }, data: orNull(data), previous: orNull(previous) }
  return { name, values, schema: { ...base, properties: { ...properties, ...own } } }
}

function testMessage(base: Schema): Variant {
  const nothing = { type: 'null' }
  const own = {
    type: { type: 'string', enum: [WEBHOOK_TEST] },
    id: { type: 'integer', description: 'The id of the webhook.' },
    action: { type: 'string', enum: ['test'] },
    actor: nothing,
    request_id: nothing,
    data: { $ref: '#/components/schemas/Webhook' },
    previous: nothing,
  }
  const schema = { ...base, properties: { ...base.properties, ...own } }
  return { name: 'TestWebhookMessage', values: [WEBHOOK_TEST], schema }
}

// Without a discriminator: it takes texts alone, so openapi-typescript would type the status as the text “200”. The status
// of each schema is enough for compilers.
function batchItems(base: Schema): Variant[] {
  const { status, booking, code, ...refusal } = base.properties
  const codes = Object.keys(REFUSALS)
  const statuses = [...new Set(Object.values(REFUSALS).map((kind) => kind.status))]
  const booked = { status: { ...status, enum: [200] }, booking }
  const refused = { status: { ...status, enum: statuses }, code: { ...code, enum: codes }, ...refusal }
  return [
    {
      name: 'BookedBatchItem',
      values: [],
      schema: { ...base, required: ['status', 'booking'], properties: booked },
    },
    {
      name: 'RefusedBatchItem',
      values: [],
      schema: { ...base, required: ['status', 'code', 'detail'], properties: refused },
    },
  ]
}
