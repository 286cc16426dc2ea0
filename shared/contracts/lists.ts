// Lists that must name something: what acts on many things at once takes.
import type * as yup from 'yup'
import { id, list, required } from './fields.ts'
import { say } from './strict.ts'

export function filled<Schema extends yup.AnySchema>(schema: Schema): Schema {
  return schema.test(
    'filled',
    say((name) => `${name} must not be empty.`),
    (value) => !Array.isArray(value) || value.length > 0,
  ) as Schema
}

export function ids({ max }: { max: number }) {
  return filled(list(required(id()), { max }))
}
