// What writes of one user take: the fields of the API, and those of its jobs.
import type * as yup from 'yup'
import { eachText, OPTIONAL_TEXTS, type UserText, userText } from '../imports/user-columns.ts'
import { message } from '../messages/message.ts'
import { email, list, object, required, rule, text } from '../schemas/fields.ts'

const ATTRIBUTES = 99
const ATTRIBUTE_MAX = 1024
const ITEMS_MAX = 1_000

/** The members of an object of attributes, for the OpenAPI document. */
export const attributesOf = (value: Record<string, unknown>) => ({
  propertyNames: { pattern: '^extensionAttribute[1-9][0-9]?$' },
  additionalProperties: value,
  examples: [{ extensionAttribute1: 'Sales' }],
})

/** The name of a group, or a license plate: in an import file, semicolons separate them. */
export const listedName = () =>
  text({ max: 255, min: 1 }).test(
    ...rule<string>(
      'one',
      (field) => message`${field} must not contain a semicolon.`,
      (value) => !value.includes(';'),
    ),
  )

const listedNames = (description: string) =>
  list(required(listedName()), { max: ITEMS_MAX }).meta({ description })

const attributes: Record<string, yup.StringSchema<string | null | undefined>> = Object.fromEntries(
  Array.from({ length: ATTRIBUTES }, (_, index) => [
    `extensionAttribute${index + 1}`,
    text({ max: ATTRIBUTE_MAX }).nullable(),
  ]),
)

const attributesInput = (description = '') =>
  object(attributes)
    // yup would turn an absent object into an empty one, and that clears all attributes.
    .default(undefined)
    .nullable()
    .optional()
    .meta({
      description,
      openapi: { type: 'object', ...attributesOf({ type: ['string', 'null'], maxLength: ATTRIBUTE_MAX }) },
    })

const plainText = (name: UserText) => text({ max: userText(name).charactersMax, min: 1 })

const present = { name: plainText('name'), email: email() }
const created = { name: required(present.name), email: required(present.email) }

const commonFields = {
  ...eachText(OPTIONAL_TEXTS, (name) => plainText(name).nullable()),
  groups: listedNames('The names of all groups of the user. Groups that do not exist yet are created.'),
  license_plates: listedNames(
    'The plates of all vehicles of the user. A vehicle keeps its id as long as its plate stays. Plates are stored in capital letters, with one space where several are typed.',
  ),
}

export const newVehicleSchema = object({ license_plate: required(listedName()) })
export const vehicleChangesSchema = object({ license_plate: listedName() })

const jobFields = { ...commonFields, extension_attributes: attributesInput() }
export const newUserInput = object({ ...jobFields, ...created })
/** Absent fields stay unchanged. */
export const userChangesInput = object({ ...jobFields, ...present })

const apiFields = {
  ...commonFields,
  extensionAttributes: attributesInput(
    'An attribute that is absent stays; null or an empty text removes it. Null in place of the object removes all.',
  ),
}
export const newUserSchema = object({ ...created, ...apiFields })
/** Every field is optional; absent fields stay unchanged. */
export const userChangesSchema = object({ ...present, ...apiFields })
