// The columns in an import file of users, and the plain text fields of a user, each described once. Imports, exports,
// jobs, the form and the page of a person, versions, the audit log and erasures use this table.

import type { Language } from '../messages/languages.ts'
import { type Message, message } from '../messages/message.ts'
import { matchColumnsToHeadings } from './headings.ts'

type TextField = {
  charactersMax: number
  label: Message
  hint?: Message
  /** How messages name the field, such as `the name`. */
  subject: Message
  /** Common headings for the column, used if a file does not have the column under its own name. */
  headings: string[]
  /**
   * Whether an import uses this field only to find users. An import writes every other field whose cell is not empty.
   */
  isKey: boolean
}

/** All text fields of a user except the name. Only the name is required. */
const OPTIONAL_TEXT_FIELDS = {
  upn: {
    charactersMax: 255,
    label: message`Sign-in name (UPN)`,
    hint: message`The user principal name in your directory.`,
    subject: message`the upn`,
    headings: [],
    isKey: true,
  },
} satisfies Record<string, TextField>
const NAME_FIELD: TextField = {
  charactersMax: 255,
  label: message`Name`,
  subject: message`the name`,
  headings: ['full name', 'fullname'],
  isKey: false,
}

type OptionalText = keyof typeof OPTIONAL_TEXT_FIELDS
export type UserText = OptionalText | 'name'

const OPTIONAL_FIELDS: Record<OptionalText, TextField> = OPTIONAL_TEXT_FIELDS
export const OPTIONAL_TEXTS = Object.keys(OPTIONAL_TEXT_FIELDS) as OptionalText[]
export const USER_TEXTS: UserText[] = [...OPTIONAL_TEXTS, 'name']
export const getTextField = (name: UserText): TextField =>
  name === 'name' ? NAME_FIELD : OPTIONAL_FIELDS[name]
export const IMPORTED_TEXTS = USER_TEXTS.filter((name) => !getTextField(name).isKey)

/** Returns an object with a converted value for each of these text fields. */
export function mapTextFields<Name extends UserText, Value>(names: Name[], convert: (name: Name) => Value) {
  return Object.fromEntries(names.map((name) => [name, convert(name)])) as Record<Name, Value>
}

export type AttributeColumn = `extensionAttribute${number}`
export type UserColumn = 'id' | 'email' | UserText | 'groups' | 'license_plates' | AttributeColumn

/** Common headings for each column, used if a file does not have the column under its own name. */
const USER_HEADINGS: Record<Exclude<UserColumn, AttributeColumn>, string[]> = {
  id: [],
  email: ['e-mail', 'mail', 'e-mail-adresse', 'email-adresse', 'e-mail address', 'email address'],
  ...mapTextFields(USER_TEXTS, (name) => getTextField(name).headings),
  groups: [],
  license_plates: [],
}

/** Returns the column that each heading stands for, by position. */
export const findUserColumns = (headings: ReadonlyArray<string | undefined>): Array<UserColumn | undefined> =>
  matchColumnsToHeadings<UserColumn>(headings, USER_HEADINGS, (name) => {
    const number = /^extensionattribute([1-9][0-9]?)$/.exec(name)?.[1]
    return number ? `extensionAttribute${Number(number)}` : undefined
  })

export function isAttribute(column: UserColumn): column is AttributeColumn {
  return column.startsWith('extensionAttribute')
}

/** The heading of the last column in a file of refused rows. Imports ignore this column in every language. */
export const REASONS_COLUMNS: Record<Language, string> = { en: 'What is wrong', de: 'Was falsch ist' }

/** Whether a file consists of rows that another import refused. Such a file lists only some of the users. */
export const isRefusedRowsFile = (header: string[]) => header.some(isReasonsColumn)

export const isReasonsColumn = (cell: string) =>
  Object.values(REASONS_COLUMNS).some((name) => name.toLowerCase() === cell.trim().toLowerCase())
