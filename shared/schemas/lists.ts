// Lists that must not be empty, for jobs that act on many things at once.
import type * as yup from 'yup'
import { message } from '../messages/message.ts'
import { fieldMessage } from '../messages/strict.ts'
import { id, list, required } from './fields.ts'

export function notEmpty<Schema extends yup.AnySchema>(schema: Schema): Schema {
  return schema.test(
    'notEmpty',
    fieldMessage((name) => message`${name} must not be empty.`),
    (value) => !Array.isArray(value) || value.length > 0,
  ) as Schema
}

export function ids({ max }: { max: number }) {
  return notEmpty(list(required(id()), { max }))
}
