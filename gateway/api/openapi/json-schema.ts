// Converts our yup schemas to JSON Schema. Fields describe themselves (shared/schemas/fields.ts and
// answers.ts); this file only combines them into objects and lists.
import * as yup from 'yup'
import { writeEnglish } from '../../../shared/messages/write-message.ts'

export type JsonSchema = { [member: string]: unknown }
export type Components = Record<string, JsonSchema>

// Requests may have unknown fields, unless they ask for strict handling, and answers may get more fields:
// clients that know this version keep working.
type Mode = 'input' | 'answer'

export function toJsonSchema(schema: yup.AnySchema, mode: Mode, components: Components): JsonSchema {
  const { component, description, whenAbsent } = schema.spec.meta ?? {}
  const described = describe(schema, mode, components)
  const about = description ? { description } : {}
  if (!component)
    return {
      ...nullable(schema, described),
      ...about,
      ...(whenAbsent === undefined ? {} : { default: whenAbsent }),
    }
  components[component] = described
  const reference = { $ref: `#/components/schemas/${component}` }
  // The component itself is never null. A reference to it says that null is allowed there.
  return { ...(schema.spec.nullable ? { oneOf: [reference, { type: 'null' }] } : reference), ...about }
}

function describe(schema: yup.AnySchema, mode: Mode, components: Components): JsonSchema {
  // An object of many members of one kind describes them all at once.
  if (schema.spec.meta?.openapi?.additionalProperties) return { ...schema.spec.meta.openapi }
  const { either } = schema.spec.meta ?? {}
  if (either) return { oneOf: either.map((each) => toJsonSchema(each, mode, components)) }
  if ('fields' in schema) return describeObject(schema as yup.ObjectSchema<yup.AnyObject>, mode, components)
  if ('innerType' in schema) {
    const items = schema.innerType as yup.AnySchema
    return { type: 'array', items: toJsonSchema(items, mode, components), ...schema.spec.meta?.openapi }
  }
  if (schema instanceof yup.TupleSchema) {
    // All members are of one kind: a list of known length.
    const members = Object.values(schema.spec.types) as yup.AnySchema[]
    const [items] = members.map((member) => toJsonSchema(member, mode, components))
    return { type: 'array', items, minItems: members.length, maxItems: members.length }
  }
  return { ...schema.spec.meta?.openapi }
}

function describeObject(
  schema: yup.ObjectSchema<yup.AnyObject>,
  mode: Mode,
  components: Components,
): JsonSchema {
  const all = Object.entries(schema.fields) as Array<[string, yup.AnySchema]>
  // The operation's description names the fields that cannot be changed: clients should not offer them.
  const fields = all.filter(([, field]) => !field.spec.meta?.fixed)
  const isRequired = ({ spec }: yup.AnySchema) => (mode === 'answer' ? !spec.meta?.sometimes : !spec.optional)
  const required = fields.filter(([, field]) => isRequired(field)).map(([name]) => name)
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(
      fields.map(([name, field]) => [name, toJsonSchema(field, mode, components)]),
    ),
  }
}

function nullable(schema: yup.AnySchema, plain: JsonSchema): JsonSchema {
  if (!schema.spec.nullable || plain.type === undefined) return plain
  return {
    ...plain,
    type: [plain.type, 'null'].flat(),
    ...(Array.isArray(plain.enum) ? { enum: [...plain.enum, null] } : {}),
  }
}

export function describeFixed(body: yup.AnySchema | undefined): string | undefined {
  const fields: Record<string, yup.AnySchema> = Object(body && 'fields' in body && body.fields)
  const fixed = Object.entries(fields).filter(([, field]) => field.spec.meta?.fixed)
  const way = fixed[0]?.[1].spec.meta?.fixed
  const names = fixed.map(([name]) => name).join(', ')
  return way && `Values other than the present ones of ${names} are refused: ${writeEnglish(way)}`
}
