// How large a form may be. Parsing a form takes the process time, so it is limited before anything is parsed: by its bytes, and by
// its fields, which cost more than bytes. The limits follow from the schemas of a page's forms.
import type * as yup from 'yup'
import type { Page } from './page.ts'

export type FormLimits = { bytesMax: number; fieldsMax: number }

// For forms that anybody can send without a session.
const OPEN_FORM: FormLimits = { bytesMax: 4 * 1024, fieldsMax: 50 }
/** A press at a screen sends a few short fields. */
export const SCREEN_FORM = OPEN_FORM

// Every form has a token and some fields beside those of its schema, such as the words in a search field.
const OTHERS: FormLimits = { bytesMax: 16 * 1024, fieldsMax: 100 }
const SIGNED_IN_MIN: FormLimits = { bytesMax: 64 * 1024, fieldsMax: 500 }
const FIELDS_MAX = 20_000

// A character has up to four bytes, and the browser sends each as three.
const BYTES_PER_CHARACTER = 12
// For numbers, dates and choices.
const SHORT_LENGTH = 100

function sizeOf(schema: yup.AnySchema, name: string): FormLimits {
  const { fields, innerType } = schema as yup.AnySchema & {
    fields?: Record<string, yup.AnySchema>
    innerType?: yup.AnySchema
  }
  if (fields)
    return Object.entries(fields)
      .map(([own, field]) => sizeOf(field, name === '' ? own : `${name}.${own}`))
      .reduce(add, { bytesMax: 0, fieldsMax: 0 })
  const { maxItems = Number.POSITIVE_INFINITY, maxLength = SHORT_LENGTH } = schema.spec.meta?.openapi ?? {}
  if (schema.type === 'array') {
    const { bytesMax, fieldsMax } = innerType
      ? sizeOf(innerType, name)
      : { bytesMax: SHORT_LENGTH, fieldsMax: 1 }
    return { bytesMax: bytesMax * Number(maxItems), fieldsMax: fieldsMax * Number(maxItems) }
  }
  return { bytesMax: name.length + 2 + Number(maxLength) * BYTES_PER_CHARACTER, fieldsMax: 1 }
}

const add = (one: FormLimits, other: FormLimits): FormLimits => ({
  bytesMax: one.bytesMax + other.bytesMax,
  fieldsMax: one.fieldsMax + other.fieldsMax,
})

const pages = new WeakMap<Page, FormLimits>()

/** `bodyBytesMax` is the limit of all bodies. */
export function formLimitsOf(page: Page, bodyBytesMax: number): FormLimits {
  const known = pages.get(page) ?? limitsOf(page)
  pages.set(page, known)
  return { ...known, bytesMax: Math.min(known.bytesMax, bodyBytesMax) }
}

function limitsOf({ access, actions, formBytesMax }: Page): FormLimits {
  if (access === 'everybody') return { ...OPEN_FORM, bytesMax: formBytesMax ?? OPEN_FORM.bytesMax }
  const sizes = Object.values(actions).map(({ form }) => add(sizeOf(form, ''), OTHERS))
  return {
    bytesMax: Math.max(SIGNED_IN_MIN.bytesMax, ...sizes.map(({ bytesMax }) => bytesMax)),
    fieldsMax: Math.min(
      FIELDS_MAX,
      Math.max(SIGNED_IN_MIN.fieldsMax, ...sizes.map(({ fieldsMax }) => fieldsMax)),
    ),
  }
}
