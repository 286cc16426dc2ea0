// Schemas that stand in many places of the document and are written once, under these names: generators of code make
// an enum or a type of each.
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
import { numbersOf } from '../../../shared/schemas/answers.ts'
import { CHANGE_ACTIONS } from '../../../shared/webhooks/changes.ts'
import { WEBHOOK_TYPES } from '../../../shared/webhooks/webhooks.ts'
import { type Components, type JsonSchema, toJsonSchema } from './json-schema.ts'

const textsOf = (values: readonly string[]): JsonSchema => ({ type: 'string', enum: values })

export const NAMED_SCHEMAS: Components = {
  AttendeeRole: numbersOf(ATTENDEE_ROLES),
  AttendeeStatus: numbersOf(ATTENDEE_STATUSES),
  BookableStatus: numbersOf(BOOKABLE_STATUSES),
  BookableType: numbersOf(BOOKABLE_TYPES),
  ChangeAction: textsOf(CHANGE_ACTIONS),
  EventClassification: numbersOf(EVENT_CLASSIFICATIONS),
  EventStatus: numbersOf(EVENT_STATUSES),
  RefusalCode: textsOf(Object.keys(REFUSALS)),
  Weekday: numbersOf(WEEKDAY_NAMES),
  AttendeeBody: toJsonSchema(attendeeInputSchema, 'input', {}),
  BookingBody: toJsonSchema(newBookingSchema, 'input', {}),
  WebhookTypePattern: textsOf(WEBHOOK_TYPES),
  RulesBody: toJsonSchema(rulesSchema, 'input', {}),
}

const names = new Map(Object.entries(NAMED_SCHEMAS).map(([name, schema]) => [JSON.stringify(schema), name]))

/** The schema with references in place of the parts that have a name. What is said of a part stays beside its reference. */
export function nameParts<Part>(part: Part): Part {
  return (Array.isArray(part) ? part.map(nameParts) : isObject(part) ? reference(part) : part) as Part
}

const isObject = (part: unknown): part is JsonSchema => typeof part === 'object' && part !== null

function reference(schema: JsonSchema): JsonSchema {
  const { description, default: whenAbsent, ...plain } = schema
  const [type, orNull] = [plain.type].flat()
  const values = Array.isArray(plain.enum) ? { enum: plain.enum.filter((value) => value !== null) } : {}
  const name = names.get(JSON.stringify({ ...plain, type, ...values }))
  if (name === undefined || !('type' in plain))
    return Object.fromEntries(Object.entries(schema).map(([member, value]) => [member, nameParts(value)]))
  const $ref = `#/components/schemas/${name}`
  return {
    ...(orNull === 'null' ? { oneOf: [{ $ref }, { type: 'null' }] } : { $ref }),
    ...(description === undefined ? {} : { description }),
    ...(whenAbsent === undefined ? {} : { default: whenAbsent }),
  }
}
