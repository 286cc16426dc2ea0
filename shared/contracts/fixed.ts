// Fields of a resource that are set when it is created and that its changes do not take: a change that has one of them with
// another value than the present one is refused, so that nobody takes its 200 for a change of it.
import * as yup from 'yup'
import type { Message } from '../messages/message.ts'
import { exact } from './strict.ts'

/** Longer ones and those that are no single value differ from every present value. They need not travel further. */
const LENGTH_MAX = 1_000

/** Adds to a schema of changes every other field that a new one takes; `way`: how such a field is changed. */
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
