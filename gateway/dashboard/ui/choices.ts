// A choice between a few values: its rule in the schema of a form, and the options of its field.

import { message } from '../../../shared/messages/message.ts'
import { choice } from '../../../shared/schemas/fields.ts'
import { type Sentence, translate } from '../locales/translate.ts'
import type { Option } from './fields.ts'

export const oneOf = <Value extends string | number>(values: readonly Value[]) =>
  choice(values, (name) => message`${name} must be one of the choices.`)

export function choices<Value extends string>(...labelled: Array<[value: Value, label: Sentence]>) {
  const values = labelled.map(([value]) => value)
  return {
    values,
    rule: () => oneOf(values),
    options: () => labelled.map(([value, label]) => ({ value, label: translate(label) })) satisfies Option[],
  }
}
