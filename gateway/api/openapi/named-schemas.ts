// Schemas that occur in many places of the OpenAPI document. The document defines each schema once under a
// name, so that code generators create one enum or type for it.
import { pointSchema } from '../../../shared/bookables/bookable-inputs.ts'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { newBookingSchema } from '../../../shared/bookings/bookings.ts'
import { attendeeInputSchema } from '../../../shared/events/event-jobs.ts'
import {
  ATTENDEE_ROLES,
  ATTENDEE_STATUSES,
  EVENT_CLASSIFICATIONS,
  EVENT_STATUSES,
} from '../../../shared/events/events.ts'
import { REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { WEEKDAY_NAMES } from '../../../shared/rules/opening-hours.ts'
import { rulesSchema } from '../../../shared/rules/rules.ts'
import { oneNumberSchema, timestamp } from '../../../shared/schemas/answers.ts'
import { repeatSchema } from '../../../shared/series/repetition.ts'
import { CHANGE_ACTIONS } from '../../../shared/webhooks/changes.ts'
import { WEBHOOK_TYPES } from '../../../shared/webhooks/webhooks.ts'
import { type Components, type JsonSchema, toJsonSchema } from './json-schema.ts'

const createTextEnum = (values: readonly string[]): JsonSchema => ({ type: 'string', enum: values })

export const NAMED_SCHEMAS: Components = {
  AttendeeRole: oneNumberSchema(ATTENDEE_ROLES),
  AttendeeStatus: oneNumberSchema(ATTENDEE_STATUSES),
  BookableStatus: oneNumberSchema(BOOKABLE_STATUSES),
  BookableType: oneNumberSchema(BOOKABLE_TYPES),
  ChangeAction: createTextEnum(CHANGE_ACTIONS),
  EventClassification: oneNumberSchema(EVENT_CLASSIFICATIONS),
  EventStatus: oneNumberSchema(EVENT_STATUSES),
  Timestamp: toJsonSchema(timestamp(), 'answer', {}),
  RefusalCode: createTextEnum(Object.keys(REFUSALS)),
  Weekday: oneNumberSchema(WEEKDAY_NAMES),
  AttendeeBody: toJsonSchema(attendeeInputSchema, 'input', {}),
  BookingBody: toJsonSchema(newBookingSchema, 'input', {}),
  WebhookTypePattern: createTextEnum(WEBHOOK_TYPES),
  RulesBody: toJsonSchema(rulesSchema, 'input', {}),
  RepeatBody: toJsonSchema(repeatSchema, 'input', {}),
  PointBody: toJsonSchema(pointSchema, 'input', {}),
}

const schemaNames = new Map(
  Object.entries(NAMED_SCHEMAS).map(([name, schema]) => [JSON.stringify(schema), name]),
)

/** Replaces the named parts of a schema with references. If a part has a description, the description stays
 * next to the reference. */
export function referenceNamedSchemas<Part>(part: Part): Part {
  return (
    Array.isArray(part) ? part.map(referenceNamedSchemas) : isObject(part) ? createReference(part) : part
  ) as Part
}

const isObject = (part: unknown): part is JsonSchema => typeof part === 'object' && part !== null

function createReference(schema: JsonSchema): JsonSchema {
  const { description, default: whenAbsent, ...plain } = schema
  const [type, orNull] = [plain.type].flat()
  const values = Array.isArray(plain.enum) ? { enum: plain.enum.filter((value) => value !== null) } : {}
  const name = schemaNames.get(JSON.stringify({ ...plain, type, ...values }))
  if (name === undefined || !('type' in plain))
    return Object.fromEntries(
      Object.entries(schema).map(([member, value]) => [member, referenceNamedSchemas(value)]),
    )
  const $ref = `#/components/schemas/${name}`
  return {
    ...(orNull === 'null' ? { oneOf: [{ $ref }, { type: 'null' }] } : { $ref }),
    ...(description === undefined ? {} : { description }),
    ...(whenAbsent === undefined ? {} : { default: whenAbsent }),
  }
}
