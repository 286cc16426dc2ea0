// The input schemas for writing one user, in the API and in its jobs.
import type * as yup from 'yup'
import { getTextField, mapTextFields, OPTIONAL_TEXTS, type UserText } from '../imports/user-columns.ts'
import { message } from '../messages/message.ts'
import { email, list, object, required, rule, text } from '../schemas/fields.ts'

const ATTRIBUTE_COUNT = 99
const ATTRIBUTE_LENGTH_MAX = 1024
const LIST_ITEMS_MAX = 1_000

/** The OpenAPI schema of an object with attributes. All attributes have the same schema. */
export const pickAttributes = (value: Record<string, unknown>) => ({
  propertyNames: { pattern: '^extensionAttribute[1-9][0-9]?$' },
  additionalProperties: value,
  examples: [{ extensionAttribute1: 'Sales' }],
})

/** The name of a group, or a license plate. Neither may contain a semicolon, which separates them in import files. */
export const nameWithoutSemicolon = () =>
  text({ max: 255, min: 1 }).test(
    ...rule<string>(
      'one',
      (field) => message`${field} must not contain a semicolon.`,
      (value) => !value.includes(';'),
    ),
  )

const namesInput = (description: string) =>
  list(required(nameWithoutSemicolon()), { max: LIST_ITEMS_MAX }).meta({ description })

const attributeFields: Record<string, yup.StringSchema<string | null | undefined>> = Object.fromEntries(
  Array.from({ length: ATTRIBUTE_COUNT }, (_, index) => [
    `extensionAttribute${index + 1}`,
    text({ max: ATTRIBUTE_LENGTH_MAX }).nullable(),
  ]),
)

const attributesInput = (description = '') =>
  object(attributeFields)
    // Otherwise yup would turn an absent object into an empty one, which clears all attributes.
    .default(undefined)
    .nullable()
    .optional()
    .meta({
      description,
      openapi: {
        type: 'object',
        ...pickAttributes({ type: ['string', 'null'], maxLength: ATTRIBUTE_LENGTH_MAX }),
      },
    })

const userTextInput = (name: UserText) => text({ max: getTextField(name).charactersMax, min: 1 })

const changedFields = { name: userTextInput('name'), email: email() }
const createdFields = { name: required(changedFields.name), email: required(changedFields.email) }

const commonFields = {
  ...mapTextFields(OPTIONAL_TEXTS, (name) => userTextInput(name).nullable()),
  groups: namesInput('The names of all groups of the user. Groups that do not exist yet are created.'),
  license_plates: namesInput(
    'The plates of all vehicles of the user. A vehicle keeps its id as long as its plate stays. Plates are stored in capital letters, with one space where several are typed.',
  ),
}

export const newVehicleSchema = object({ license_plate: required(nameWithoutSemicolon()) })
export const vehicleChangesSchema = object({ license_plate: nameWithoutSemicolon() })

const jobFields = { ...commonFields, extension_attributes: attributesInput() }
export const newUserInput = object({ ...jobFields, ...createdFields })
/** Fields that are absent from a change stay unchanged. */
export const userChangesInput = object({ ...jobFields, ...changedFields })

const apiFields = {
  ...commonFields,
  extensionAttributes: attributesInput(
    'An attribute that is absent stays; null or an empty text removes it. Null in place of the object removes all.',
  ),
}
export const newUserSchema = object({ ...createdFields, ...apiFields })
/** Every field is optional. Fields that are absent from a change stay unchanged. */
export const userChangesSchema = object({ ...changedFields, ...apiFields })
