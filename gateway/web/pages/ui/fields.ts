// The fields of a form: label, hint, control and error, linked for screen readers too.
import type * as yup from 'yup'
import { message } from '../../../../shared/messages/message.ts'
import { choice } from '../../../../shared/schemas/fields.ts'
import { attributes, type Content, type Html, html } from '../../../html/html.ts'
import { type Sentence, t, translate } from '../../locales/translate.ts'
import { type Row, readRows } from '../page/form-body.ts'
import type { Schema } from '../page/page.ts'
import { errorsOf, type Field, type More, type Refused, showOptions, type Value } from './field-parts.ts'
import { Originals } from './originals.ts'

type Choices = More & { options: Option[]; value?: Value }
export type Option = {
  value: string | number
  label: string
  hint?: Html | string
  /** Those of one group follow each other. */
  group?: string
  /** Another name for a value that has an option. Choosing it chooses that value; it never shows as the chosen one. */
  isAlias?: boolean
}

export type TextField = More & {
  type?: 'text' | 'email' | 'password' | 'number' | 'search' | 'date' | 'time' | 'datetime-local'
  value?: Value
  placeholder?: string
  autocomplete?: string
  min?: string | number
  max?: string | number
  maxlength?: number
  autofocus?: boolean
}

const yesOrNo = () => [
  { value: 'true', label: t`yes` },
  { value: '', label: t`no` },
]

type Form = {
  refused?: Refused | undefined
  originals?: Originals
  /** Says which fields are required, and how long a text may be. */
  schema?: Schema | undefined
  /** What the fields are filled with, by their names, unless a field has a value of its own. */
  values?: object
}
type Selection = Choices & { any?: string | undefined; values?: number[] }

export class Fields {
  /** The fields and their labels. Errors of other fields are shown above the form. */
  readonly labels = new Map<string, string>()
  readonly #prefix: string
  readonly #refused: Refused | undefined
  readonly #originals: Originals
  readonly #rules: Record<string, unknown>
  readonly #values: Record<string, unknown>

  constructor(prefix: string, { refused, originals = new Originals(), schema, values = {} }: Form = {}) {
    this.#prefix = prefix
    this.#refused = refused
    this.#originals = originals
    this.#rules = (schema as yup.ObjectSchema<yup.AnyObject> | undefined)?.fields ?? {}
    this.#values = values as Record<string, unknown>
  }

  /**
   * Remembers a value that is saved with the form but has no field, to show it if another user has changed
   * it.
   */
  remember(name: string, label: string, value: string): void {
    this.#originals.choose({ name, label, present: value })
  }

  /** Whether one of these fields has a value: as typed, if the form came back. Such a field must be visible. */
  isFilled(...names: string[]): boolean {
    const refused = this.#refused?.values
    return names.some((name) => (refused ? refused[name]?.some(Boolean) : this.#values[name]))
  }

  text(name: string, label: string, { type = 'text', value, ...more }: TextField = {}): Html {
    const { placeholder, autocomplete, min, max, maxlength, autofocus, ...rest } = more
    const field = { name, label, ...rest }
    const hasLength = type === 'text' || type === 'email' || type === 'search'
    const control = {
      type,
      value: type === 'password' ? '' : this.#valueOf(field, value),
      placeholder,
      autocomplete,
      min,
      max,
      maxlength: maxlength ?? (hasLength ? this.#lengthMax(name) : undefined),
      autofocus: autofocus && !this.#refused,
    }
    return this.#boxed(field, (own) => html`<input${attributes({ ...own, ...control })}>`)
  }

  search(name: string, label: string, more: TextField = {}): Html {
    return this.text(name, label, { type: 'search', maxlength: 255, ...more })
  }

  /** A day and a time on the clocks of a place. */
  time(name: string, label: string, more: TextField = {}): Html {
    return this.text(name, label, { type: 'datetime-local', required: true, ...more })
  }

  area(
    name: string,
    label: string,
    { value, rows = 4, ...more }: More & { value?: Value; rows?: number } = {},
  ) {
    const field = { name, label, ...more }
    const maxlength = this.#lengthMax(name)
    // Browsers drop the first line break after the tag.
    return this.#boxed(
      field,
      (own) => html`<textarea${attributes({ ...own, rows, maxlength })}>
${this.#valueOf(field, value)}</textarea>`,
    )
  }

  /** `any` is the label of an empty choice, which comes first. With `values`, several can be chosen. */
  select(name: string, label: string, { any, options, value, values, ...more }: Selection): Html {
    const field = { name, label, ...more }
    const all = any === undefined ? options : [{ value: '', label: any }, ...options]
    const sent = values && (this.#refused?.values[name] ?? values.map(String))
    const chosen = new Set(sent ?? [this.#valueOf(field, value, all)])
    const several = values && { multiple: true, size: 8 }
    return this.#boxed(
      field,
      (own) => html`<select${attributes({ ...several, ...own })}>${showOptions(all, chosen)}</select>`,
    )
  }

  radios(name: string, label: string, { value, ...more }: Choices): Html {
    const field = { name, label, ...more }
    return this.#choices(field, 'radio', new Set([this.#valueOf(field, value, field.options)]))
  }

  /** Several choices from a short list: the form's schema has a list under this name. */
  checkboxes(
    name: string,
    label: string,
    { values = [], ...more }: More & { options: Option[]; values?: readonly (string | number)[] },
  ) {
    const chosen = new Set(this.#refused?.values[name] ?? values.map(String))
    return this.#choices({ name, label, ...more }, 'checkbox', chosen)
  }

  checkbox(name: string, label: string, { checked, ...more }: More & { checked?: boolean } = {}): Html {
    const field = { name, label, ...more }
    const { own, hint, error } = this.#parts(field)
    const before = (checked ?? this.#values[name]) ? 'true' : ''
    const isChecked = this.#valueOf(field, before, yesOrNo()) === 'true'
    const control = attributes({ ...own, value: 'true', checked: isChecked })
    return html`<div class="field"><label class="choice"><input type="checkbox"${control}>
<span>${label}</span></label>${hint}${error}</div>`
  }

  file(name: string, label: string, { accept, ...more }: More & { accept?: string } = {}): Html {
    const field = { name, label, ...more }
    return this.#boxed(field, (own) => html`<input type="file"${attributes({ ...own, accept })}>`)
  }

  /** Rows of several controls, called `${name}.column`: as typed if the form came back, else those saved. */
  rows(field: Field, saved: Row[], describe: (rows: Row[]) => string, show: (rows: Row[]) => Html): Html {
    const sent = this.#refused && JSON.stringify(readRows(this.#refused.values, field.name))
    const described = (rows: string) => describe(JSON.parse(rows))
    const { own, hint, error } = this.#parts(field)
    const shown = this.#originals.choose({
      ...field,
      present: JSON.stringify(saved),
      sent,
      describe: described,
    })
    return this.#group(field, own, [hint, show(JSON.parse(shown)), error])
  }

  #valueOf({ name, label, entered }: Field, value: Value, options?: Option[]): string {
    const fallback = value === undefined ? this.#values[name] : value
    const absent = this.#refused?.isSearch ? undefined : ''
    const unsaved = entered === undefined || entered === null ? undefined : String(entered)
    const sent = this.#refused ? (this.#refused.values[name]?.[0] ?? absent) : unsaved
    const describe = (value: string) =>
      options?.find((option) => !option.isAlias && String(option.value) === value)?.label ?? value
    return this.#originals.choose({ name, label, present: String(fallback ?? ''), sent, describe })
  }

  #ruleOf = (name: string) => (this.#rules[name] as Schema | undefined)?.spec

  #lengthMax(name: string): number | undefined {
    return this.#ruleOf(name)?.meta?.openapi?.['maxLength'] as number | undefined
  }

  #boxed(field: Field, control: (own: Record<string, string | boolean | undefined>) => Html): Html {
    const { own, hint, error } = this.#parts(field)
    const isSearch = this.#prefix === 'search'
    const mark =
      !own.required && !isSearch && html` <span class="optional">${field.emptyWhen ?? t`optional`}</span>`
    return html`<div class="field"><label for="${own.id}">${field.label}${mark}</label>
${hint}${control(own)}${error}</div>`
  }

  #choices(field: Field & { options: Option[] }, type: 'radio' | 'checkbox', chosen: Set<string>): Html {
    const { own, hint, error } = this.#parts(field)
    const choices = field.options.map(({ value, label, hint: about }) => {
      const control = attributes({ name: field.name, value, checked: chosen.has(String(value)) })
      return html`<label class="choice"><input type="${type}"${control}>
<span>${label}${about !== undefined && html` <small>${about}</small>`}</span></label>`
    })
    return this.#group(field, own, [hint, choices, error])
  }

  #group({ label }: Field, own: Record<string, string | boolean | undefined>, inside: Content): Html {
    const described = attributes({ id: own['id'], 'aria-describedby': own['aria-describedby'] })
    return html`<fieldset class="field"${described}><legend>${label}</legend>${inside}</fieldset>`
  }

  #parts(field: Field) {
    this.labels.set(field.name, field.label)
    const id = `${this.#prefix}-${field.name}`
    const errors = errorsOf(this.#refused?.errors ?? {}, field, this.labels)
    const isWrong = errors.length > 0
    const describedBy = [field.hint && `${id}-hint`, isWrong && `${id}-error`].filter(Boolean).join(' ')
    return {
      own: {
        id,
        name: field.name,
        required: field.required ?? this.#ruleOf(field.name)?.optional === false,
        'aria-describedby': describedBy || undefined,
        'aria-invalid': isWrong ? 'true' : undefined,
      },
      hint: field.hint !== undefined && html`<p class="hint" id="${id}-hint">${field.hint}</p>`,
      error:
        isWrong &&
        html`<div class="error" id="${id}-error">${errors.map((each) => html`<p>${each}</p>`)}</div>`,
    }
  }
}
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
