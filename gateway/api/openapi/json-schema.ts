// Converts Berth's yup schemas to JSON Schema. Fields describe themselves (see shared/schemas/fields.ts and
// answers.ts); this file only combines them into objects and lists.
import * as yup from 'yup'
import { writeEnglish } from '../../../shared/messages/write-message.ts'

export type JsonSchema = { [member: string]: unknown }
export type Components = Record<string, JsonSchema>

// Objects allow unknown fields: in requests unless the client asks for strict handling, and in responses because later
// releases may add fields, which must not break clients.
type SchemaMode = 'input' | 'answer'

export function toJsonSchema(schema: yup.AnySchema, mode: SchemaMode, components: Components): JsonSchema {
  const { component, description, whenAbsent } = schema.spec.meta ?? {}
  const described = describeSchema(schema, mode, components)
  const about = description ? { description } : {}
  if (!component)
    return {
      ...allowNull(schema, described),
      ...about,
      ...(whenAbsent === undefined ? {} : { default: whenAbsent }),
    }
  components[component] = described
  const reference = { $ref: `#/components/schemas/${component}` }
  // The component itself is never null. Where null is allowed, the reference to the component says so.
  return { ...(schema.spec.nullable ? { oneOf: [reference, { type: 'null' }] } : reference), ...about }
}

function describeSchema(schema: yup.AnySchema, mode: SchemaMode, components: Components): JsonSchema {
  // The schema describes all members of the object at once, because all of them have the same type.
  if (schema.spec.meta?.openapi?.additionalProperties) return { ...schema.spec.meta.openapi }
  const { either } = schema.spec.meta ?? {}
  if (either) return { oneOf: either.map((each) => toJsonSchema(each, mode, components)) }
  if ('fields' in schema) return describeObject(schema as yup.ObjectSchema<yup.AnyObject>, mode, components)
  if ('innerType' in schema) {
    const items = schema.innerType as yup.AnySchema
    return { type: 'array', items: toJsonSchema(items, mode, components), ...schema.spec.meta?.openapi }
  }
  if (schema instanceof yup.TupleSchema) {
    // All members of the tuple have the same type, so the tuple becomes a list of fixed length.
    const members = Object.values(schema.spec.types) as yup.AnySchema[]
    const [items] = members.map((member) => toJsonSchema(member, mode, components))
    return { type: 'array', items, minItems: members.length, maxItems: members.length }
  }
  return { ...schema.spec.meta?.openapi }
}

function describeObject(
  schema: yup.ObjectSchema<yup.AnyObject>,
  mode: SchemaMode,
  components: Components,
): JsonSchema {
  const all = Object.entries(schema.fields) as Array<[string, yup.AnySchema]>
  // Leaves out fields that cannot be changed, so that API clients do not offer to change them. The description of the
  // object names these fields.
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

function allowNull(schema: yup.AnySchema, plain: JsonSchema): JsonSchema {
  if (!schema.spec.nullable || plain.type === undefined) return plain
  return {
    ...plain,
    type: [plain.type, 'null'].flat(),
    ...(Array.isArray(plain.enum) ? { enum: [...plain.enum, null] } : {}),
  }
}

export function describeFixedFields(body: yup.AnySchema | undefined): string | undefined {
  const fields: Record<string, yup.AnySchema> = Object(body && 'fields' in body && body.fields)
  const fixed = Object.entries(fields).filter(([, field]) => field.spec.meta?.fixed)
  const way = fixed[0]?.[1].spec.meta?.fixed
  const names = fixed.map(([name]) => name).join(', ')
  return way && `Values other than the present ones of ${names} are refused: ${writeEnglish(way)}`
}
