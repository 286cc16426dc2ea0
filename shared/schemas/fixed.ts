// Fields of a resource that are set when it is created and cannot be changed. A change that contains one with
// a different value is refused, so that no client takes its 200 for a change of that field.
import * as yup from 'yup'
import type { Message } from '../messages/message.ts'
import { exact } from '../messages/strict.ts'

/**
 * Longer values and those that are not a single value differ from every present value, and need not travel
 * further.
 */
const LENGTH_MAX = 1_000

/** Adds to a schema of changes every other field of a new resource; `way` says how to change such a field. */
export function withFixed<Changes extends yup.AnyObject>(
  changes: yup.ObjectSchema<Changes>,
  created: yup.ObjectSchema<yup.AnyObject>,
  way: Message,
): yup.ObjectSchema<Changes> {
  const others = Object.entries(created.fields).filter(([name]) => !Object.hasOwn(changes.fields, name))
  const fields = others.map(([name]) => [name, fixed(way)])
  return changes.shape(Object.fromEntries(fields)) as unknown as yup.ObjectSchema<Changes>
}

function fixed(way: Message) {
  return exact(yup.mixed())
    .nullable()
    .transform((value: unknown) => (isShort(value) ? value : {}))
    .meta({ fixed: way })
}

const isShort = (value: unknown) =>
  value == null || (typeof value !== 'object' && String(value).length <= LENGTH_MAX)
