// Limits the size of a form. Parsing a form takes CPU time, so two limits apply before anything is parsed: a
// limit of bytes, and a limit of fields, because many fields take longer to parse than many bytes. The limits
// follow from the schemas of a page's forms.
import type * as yup from 'yup'
import type { Page } from './page.ts'

export type FormLimits = { bytesMax: number; fieldsMax: number }

// The limits of forms that anybody can send without a session.
const OPEN_FORM_LIMITS: FormLimits = { bytesMax: 4 * 1024, fieldsMax: 50 }
/** The limits of the form that a screen sends when a button is pressed. This form has only a few short fields. */
export const SCREEN_FORM_LIMITS = OPEN_FORM_LIMITS

// The limits for fields that every form has in addition to the fields of its schema, such as a token and the
// words in a search field.
const EXTRA_FIELD_LIMITS: FormLimits = { bytesMax: 16 * 1024, fieldsMax: 100 }
const SIGNED_IN_FORM_LIMITS_MIN: FormLimits = { bytesMax: 64 * 1024, fieldsMax: 500 }
const FIELDS_PER_FORM_MAX = 20_000

// The maximum number of bytes per character: a character has up to four bytes, and the browser encodes each
// byte as three.
const BYTES_PER_CHARACTER_MAX = 12
// The maximum length of numbers, dates and choices.
const SHORT_VALUE_LENGTH_MAX = 100

function computeFieldLimits(schema: yup.AnySchema, name: string): FormLimits {
  const { fields, innerType } = schema as yup.AnySchema & {
    fields?: Record<string, yup.AnySchema>
    innerType?: yup.AnySchema
  }
  if (fields)
    return Object.entries(fields)
      .map(([own, field]) => computeFieldLimits(field, name === '' ? own : `${name}.${own}`))
      .reduce(addLimits, { bytesMax: 0, fieldsMax: 0 })
  const { maxItems = Number.POSITIVE_INFINITY, maxLength = SHORT_VALUE_LENGTH_MAX } =
    schema.spec.meta?.openapi ?? {}
  if (schema.type === 'array') {
    const { bytesMax, fieldsMax } = innerType
      ? computeFieldLimits(innerType, name)
      : { bytesMax: SHORT_VALUE_LENGTH_MAX, fieldsMax: 1 }
    return { bytesMax: bytesMax * Number(maxItems), fieldsMax: fieldsMax * Number(maxItems) }
  }
  return { bytesMax: name.length + 2 + Number(maxLength) * BYTES_PER_CHARACTER_MAX, fieldsMax: 1 }
}

const addLimits = (one: FormLimits, other: FormLimits): FormLimits => ({
  bytesMax: one.bytesMax + other.bytesMax,
  fieldsMax: one.fieldsMax + other.fieldsMax,
})

const limitsByPage = new WeakMap<Page, FormLimits>()

/** Returns the limits of a page's forms. `bodyBytesMax` is the limit of all request bodies. */
export function findFormLimits(page: Page, bodyBytesMax: number): FormLimits {
  const known = limitsByPage.get(page) ?? computeFormLimits(page)
  limitsByPage.set(page, known)
  return { ...known, bytesMax: Math.min(known.bytesMax, bodyBytesMax) }
}

function computeFormLimits({ access, actions, formBytesMax }: Page): FormLimits {
  if (access === 'everybody')
    return { ...OPEN_FORM_LIMITS, bytesMax: formBytesMax ?? OPEN_FORM_LIMITS.bytesMax }
  const sizes = Object.values(actions).map(({ form }) =>
    addLimits(computeFieldLimits(form, ''), EXTRA_FIELD_LIMITS),
  )
  return {
    bytesMax: Math.max(SIGNED_IN_FORM_LIMITS_MIN.bytesMax, ...sizes.map(({ bytesMax }) => bytesMax)),
    fieldsMax: Math.min(
      FIELDS_PER_FORM_MAX,
      Math.max(SIGNED_IN_FORM_LIMITS_MIN.fieldsMax, ...sizes.map(({ fieldsMax }) => fieldsMax)),
    ),
  }
}
