// The fields of a form: label, hint, control and error. They are linked to each other for screen readers.
import type * as yup from 'yup'
import { message } from '../../../../shared/messages/message.ts'
import type { FieldErrors } from '../../../../shared/messages/refusal.ts'
import { choice } from '../../../../shared/schemas/fields.ts'
import { type Content, formatAttributes, type Html, html } from '../../../html/html.ts'
import { type Sentence, t, translate } from '../../locales/translate.ts'
import { type FormRow, readRows } from '../page/form-body.ts'
import type { FormSchema } from '../page/page.ts'
import {
  type Field,
  type FieldOptions,
  type FieldValue,
  listErrors,
  type RefusedValues,
  showOptions,
} from './field-parts.ts'
import { OriginalValues } from './originals.ts'

/** `areChips` shows the choices as buttons side by side, for short labels without hints. */
type ChoiceLook = { options: Option[]; areChips?: boolean }
type ChoiceField = FieldOptions & ChoiceLook & { value?: FieldValue }
export type Option = {
  value: string | number
  label: string
  hint?: Html | string
  /** The group of the option. Options of the same group are next to each other. */
  group?: string
  /**
   * Whether the option is another name for a value that already has an option. Choosing the alias chooses that value;
   * the alias is never shown as chosen.
   */
  isAlias?: boolean
}

export type TextField = FieldOptions & {
  type?: 'text' | 'email' | 'password' | 'number' | 'search' | 'date' | 'time' | 'datetime-local'
  value?: FieldValue
  placeholder?: string
  autocomplete?: string
  min?: string | number
  max?: string | number
  maxlength?: number
  autofocus?: boolean
}

const createYesNoOptions = () => [
  { value: 'true', label: t`yes` },
  { value: '', label: t`no` },
]

type FormOfFields = {
  refused?: RefusedValues | undefined
  originals?: OriginalValues
  /** The schema, which says which fields are required, and how long a text may be. */
  schema?: FormSchema | undefined
  /** The initial values of the fields, by name. A field's own value takes precedence. */
  values?: object
}
type SelectionField = ChoiceField & { any?: string | undefined; values?: number[] }

export class Fields {
  /** The labels of the fields. Errors of other fields are shown above the form. */
  readonly labels = new Map<string, string>()
  /** The errors of the refusal, and the problems that the page has found. */
  readonly errors: FieldErrors
  readonly #prefix: string
  readonly #refused: RefusedValues | undefined
  readonly #originals: OriginalValues
  readonly #rules: Record<string, unknown>
  readonly #values: Record<string, unknown>

  constructor(
    prefix: string,
    { refused, originals = new OriginalValues(), schema, values = {} }: FormOfFields = {},
  ) {
    this.#prefix = prefix
    this.#refused = refused
    this.errors = { ...refused?.errors }
    this.#originals = originals
    this.#rules = (schema as yup.ObjectSchema<yup.AnyObject> | undefined)?.fields ?? {}
    this.#values = values as Record<string, unknown>
  }

  /** Stores a value that is saved with the form but has no field, so that the form can show if another user
   * has changed it. */
  remember(name: string, label: string, value: string): void {
    this.#originals.choose({ name, label, present: value })
  }

  /** Returns whether one of these fields has a value. After a refusal, this is the value that the user typed.
   * A field with a value must be visible. */
  isFilled(...names: string[]): boolean {
    const refused = this.#refused?.values
    const values = (name: string) => (refused ? refused[name] : [this.#values[name]].flat())
    return names.some((name) => values(name)?.some(Boolean))
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
    return this.#boxed(field, (own) => html`<input${formatAttributes({ ...own, ...control })}>`)
  }

  search(name: string, label: string, more: TextField = {}): Html {
    return this.text(name, label, { type: 'search', maxlength: 255, ...more })
  }

  /** Shows fields for a day and a time, in the time zone of a place. */
  time(name: string, label: string, more: TextField = {}): Html {
    return this.text(name, label, { type: 'datetime-local', required: true, ...more })
  }

  area(
    name: string,
    label: string,
    { value, rows = 4, ...more }: FieldOptions & { value?: FieldValue; rows?: number } = {},
  ) {
    const field = { name, label, ...more }
    const maxlength = this.#lengthMax(name)
    // Adds a line break, because browsers drop the first line break after the tag.
    return this.#boxed(
      field,
      (own) => html`<textarea${formatAttributes({ ...own, rows, maxlength })}>
${this.#valueOf(field, value)}</textarea>`,
    )
  }

  /**
   * Shows a list to choose from. `any` is the label of an empty choice, which comes first. With `values`, several
   * options can be chosen.
   */
  select(name: string, label: string, { any, options, value, values, ...more }: SelectionField): Html {
    const field = { name, label, ...more }
    const all = any === undefined ? options : [{ value: '', label: any }, ...options]
    const sent = values && (this.#refused?.values[name] ?? values.map(String))
    const chosen = new Set(sent ?? [this.#valueOf(field, value, all)])
    const several = values && { multiple: true, size: 8 }
    return this.#boxed(
      field,
      (own) => html`<select${formatAttributes({ ...several, ...own })}>${showOptions(all, chosen)}</select>`,
    )
  }

  radios(name: string, label: string, { value, ...more }: ChoiceField): Html {
    const field = { name, label, ...more }
    return this.#choices(field, 'radio', new Set([this.#valueOf(field, value, field.options)]))
  }

  /** Shows several choices from a short list as checkboxes. The form's schema must have a list under this name. */
  checkboxes(
    name: string,
    label: string,
    { values = [], ...more }: FieldOptions & ChoiceLook & { values?: readonly (string | number)[] },
  ) {
    const join = (chosen: readonly string[]) => chosen.toSorted().join('\n')
    const describe = (lines: string) => {
      const chosen = new Set(lines.split('\n'))
      return more.options
        .filter(({ value }) => chosen.has(String(value)))
        .map((option) => option.label)
        .join(', ')
    }
    const sent = this.#refused?.values[name]
    const original = { name, label, present: join(values.map(String)), sent: sent && join(sent), describe }
    const shown = this.#originals.choose(original)
    return this.#choices({ name, label, ...more }, 'checkbox', new Set(shown.split('\n')))
  }

  checkbox(
    name: string,
    label: string,
    { checked, ...more }: FieldOptions & { checked?: boolean } = {},
  ): Html {
    const field = { name, label, ...more }
    const { own, hint, error } = this.#parts(field)
    const before = (checked ?? this.#values[name]) ? 'true' : ''
    const isChecked = this.#valueOf(field, before, createYesNoOptions()) === 'true'
    const control = formatAttributes({ ...own, value: 'true', checked: isChecked })
    return html`<div class="field"><label class="choice"><input type="checkbox"${control}>
<span>${label}</span></label>${hint}${error}</div>`
  }

  file(name: string, label: string, { accept, ...more }: FieldOptions & { accept?: string } = {}): Html {
    const field = { name, label, ...more }
    return this.#boxed(field, (own) => html`<input type="file"${formatAttributes({ ...own, accept })}>`)
  }

  /**
   * Shows rows of several controls, called `${name}.column`, with the values that were typed if the form was refused,
   * or else with the saved values.
   */
  rows(
    field: Field,
    saved: FormRow[],
    describe: (rows: FormRow[]) => string,
    show: (rows: FormRow[]) => Html,
  ): Html {
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

  #valueOf({ name, label, entered }: Field, value: FieldValue, options?: Option[]): string {
    const fallback = value === undefined ? this.#values[name] : value
    const absent = this.#refused?.isSearch ? undefined : ''
    const unsaved = entered === undefined || entered === null ? undefined : String(entered)
    const sent = this.#refused ? (this.#refused.values[name]?.[0] ?? absent) : unsaved
    const describe = (value: string) =>
      options?.find((option) => !option.isAlias && String(option.value) === value)?.label ?? value
    return this.#originals.choose({ name, label, present: String(fallback ?? ''), sent, describe })
  }

  #ruleOf = (name: string) => (this.#rules[name] as FormSchema | undefined)?.spec

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

  #choices(field: Field & ChoiceLook, type: 'radio' | 'checkbox', chosen: Set<string>): Html {
    const { own, hint, error } = this.#parts(field)
    const choices = field.options.map(({ value, label, hint: about }) => {
      const control = formatAttributes({ name: field.name, value, checked: chosen.has(String(value)) })
      return html`<label class="${field.areChips ? 'chip' : 'choice'}"><input type="${type}"${control}>
<span>${label}${about !== undefined && html` <small>${about}</small>`}</span></label>`
    })
    const shown = field.areChips ? html`<div class="chips">${choices}</div>` : choices
    return this.#group(field, own, [hint, shown, error])
  }

  #group({ label }: Field, own: Record<string, string | boolean | undefined>, inside: Content): Html {
    const described = formatAttributes({ id: own['id'], 'aria-describedby': own['aria-describedby'] })
    return html`<fieldset class="field"${described}><legend>${label}</legend>${inside}</fieldset>`
  }

  #parts(field: Field) {
    this.labels.set(field.name, field.label)
    const id = `${this.#prefix}-${field.name}`
    if (field.problem) this.errors[field.name] = [field.problem]
    const errors = listErrors(this.errors, field, this.labels)
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
export const oneOfChoices = <Value extends string | number>(values: readonly Value[]) =>
  choice(values, (name) => message`${name} must be one of the choices.`)

export function choices<Value extends string>(...labelled: Array<[value: Value, label: Sentence]>) {
  const values = labelled.map(([value]) => value)
  return {
    values,
    rule: () => oneOfChoices(values),
    options: () => labelled.map(([value, label]) => ({ value, label: translate(label) })) satisfies Option[],
  }
}
