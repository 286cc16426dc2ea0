// Describes API objects that have several variants. One member distinguishes the variants: the type of the
// resource in changes, and the status in results of a batch.
import { changedBookingSchema } from '../../../shared/bookings/bookings.ts'
import { REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { type ChangeType, listChangeActions } from '../../../shared/webhooks/changes.ts'
import { WEBHOOK_TEST, webhookSchema } from '../../../shared/webhooks/webhooks.ts'
import { type Components, type JsonSchema, toJsonSchema } from './json-schema.ts'
import { toPascalCase } from './parameters.ts'

/** The component that describes the resource, by the type of change. */
const RESOURCE_COMPONENTS: Record<ChangeType, string> = {
  booking: 'ChangedBooking',
  booking_request: 'BookingRequest',
  event: 'TodaysEvent',
  bookable: 'BookableDetails',
  location: 'LocationInBuilding',
  building: 'Building',
  user: 'User',
  group: 'Group',
  absence: 'Absence',
  loan: 'Loan',
}

type ObjectJsonSchema = JsonSchema & { required: string[]; properties: Record<string, JsonSchema> }

/** Replaces these components, if the document has them, with unions. */
export function describeUnions(components: Components): void {
  const { Change, WebhookMessage, BookingBatchItem } = components as Record<
    string,
    ObjectJsonSchema | undefined
  >
  if (Change) {
    toJsonSchema(changedBookingSchema, 'answer', components)
    const variants = resourceTypes.map((type) =>
      createVariant(Change, [type], RESOURCE_COMPONENTS[type], `${toPascalCase(type)}Change`),
    )
    components.Change = createUnionByType(variants, components)
  }
  if (WebhookMessage) {
    toJsonSchema(webhookSchema, 'answer', components)
    const variants = resourceTypes.map((type) => {
      const types = listChangeActions(type).map((action) => `${type}.${action}`)
      return createVariant(
        WebhookMessage,
        types,
        RESOURCE_COMPONENTS[type],
        `${toPascalCase(type)}WebhookMessage`,
      )
    })
    components.WebhookMessage = createUnionByType(
      [...variants, createTestMessageVariant(WebhookMessage)],
      components,
    )
  }
  if (BookingBatchItem)
    components.BookingBatchItem = createUnion(createBatchItemVariants(BookingBatchItem), components)
}

const resourceTypes = Object.keys(RESOURCE_COMPONENTS) as ChangeType[]

type Variant = { name: string; values: string[]; schema: JsonSchema }

const formatReference = (name: string) => `#/components/schemas/${name}`

function createUnion(variants: Variant[], components: Components): JsonSchema {
  for (const { name, schema } of variants) components[name] = schema
  return { oneOf: variants.map(({ name }) => ({ $ref: formatReference(name) })) }
}

function createUnionByType(variants: Variant[], components: Components): JsonSchema {
  return {
    ...createUnion(variants, components),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(
        variants.flatMap(({ name, values }) => values.map((value) => [value, formatReference(name)])),
      ),
    },
  }
}

function createVariant(base: ObjectJsonSchema, values: string[], shown: string, name: string): Variant {
  const { type, data, previous, ...properties } = base.properties
  const orNull = (member: JsonSchema | undefined) => ({
    oneOf: [{ $ref: `#/components/schemas/${shown}` }, { type: 'null' }],
    description: member?.description,
  })
  const own = { type: { ...type, enum: values }, data: orNull(data), previous: orNull(previous) }
  return { name, values, schema: { ...base, properties: { ...properties, ...own } } }
}

function createTestMessageVariant(base: ObjectJsonSchema): Variant {
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

// This union has no discriminator: the discriminator's values must be text, so openapi-typescript would type
// the status as the text “200”. Compilers can tell the variants apart by the status in their schemas.
function createBatchItemVariants(base: ObjectJsonSchema): Variant[] {
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
