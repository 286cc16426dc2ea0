// Lists that must name something: what acts on many things at once takes.
import type * as yup from 'yup'
import { id, list, required } from './fields.ts'
import { message } from './strict.ts'

export function notEmpty<Schema extends yup.AnySchema>(schema: Schema): Schema {
  return schema.test(
    'notEmpty',
    message((name) => `${name} must not be empty.`),
    (value) => !Array.isArray(value) || value.length > 0,
  ) as Schema
}

export function ids({ max }: { max: number }) {
  return notEmpty(list(required(id()), { max }))
}
