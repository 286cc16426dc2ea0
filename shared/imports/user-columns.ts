// The columns of an import file of users, and the plain text fields of a user, each described once: import,
// export, jobs, the form and the page of a person, versions, the audit log and erasures follow from this table.

import type { Language } from '../messages/languages.ts'
import { type Message, message } from '../messages/message.ts'
import { nameColumns } from './headings.ts'

type TextField = {
  charactersMax: number
  label: Message
  hint?: Message
  /** The limit in “… must be at most 255 characters long”. */
  subject: Message
  /** What people call the column in files that do not use its own name. */
  headings: string[]
  /** Whether an import only finds users by it. It writes the others, unless their cell is empty. */
  isKey: boolean
}

/** All but the name, which every user has. */
const OPTIONAL = {
  upn: {
    charactersMax: 255,
    label: message`Sign-in name (UPN)`,
    hint: message`The user principal name in your directory.`,
    subject: message`the upn`,
    headings: [],
    isKey: true,
  },
} satisfies Record<string, TextField>
const NAME: TextField = {
  charactersMax: 255,
  label: message`Name`,
  subject: message`the name`,
  headings: ['full name', 'fullname'],
  isKey: false,
}

type OptionalText = keyof typeof OPTIONAL
export type UserText = OptionalText | 'name'

const OPTIONAL_FIELDS: Record<OptionalText, TextField> = OPTIONAL
export const OPTIONAL_TEXTS = Object.keys(OPTIONAL) as OptionalText[]
export const USER_TEXTS: UserText[] = [...OPTIONAL_TEXTS, 'name']
export const userText = (name: UserText): TextField => (name === 'name' ? NAME : OPTIONAL_FIELDS[name])
export const IMPORTED_TEXTS = USER_TEXTS.filter((name) => !userText(name).isKey)

/** An object with a value for each of these fields. */
export function eachText<Name extends UserText, Value>(names: Name[], convert: (name: Name) => Value) {
  return Object.fromEntries(names.map((name) => [name, convert(name)])) as Record<Name, Value>
}

export type AttributeColumn = `extensionAttribute${number}`
export type UserColumn = 'id' | 'email' | UserText | 'groups' | 'license_plates' | AttributeColumn

/** Each column with what people call it in files that do not use its own name. */
const HEADINGS: Record<Exclude<UserColumn, AttributeColumn>, string[]> = {
  id: [],
  email: ['e-mail', 'mail', 'e-mail-adresse', 'email-adresse', 'e-mail address', 'email address'],
  ...eachText(USER_TEXTS, (name) => userText(name).headings),
  groups: [],
  license_plates: [],
}

/** The column that each heading names, by position. */
export const userColumns = (headings: ReadonlyArray<string | undefined>): Array<UserColumn | undefined> =>
  nameColumns<UserColumn>(headings, HEADINGS, (name) => {
    const number = /^extensionattribute([1-9][0-9]?)$/.exec(name)?.[1]
    return number ? `extensionAttribute${Number(number)}` : undefined
  })

export function isAttribute(column: UserColumn): column is AttributeColumn {
  return column.startsWith('extensionAttribute')
}

/** The last column of a file of refused rows; an import ignores it in every language. */
export const REASONS_COLUMNS: Record<Language, string> = { en: 'What is wrong', de: 'Was falsch ist' }

/** A file of rows that another import refused, which never lists all users. */
export const holdsRefusedRows = (header: string[]) => header.some(isReasonsColumn)

export const isReasonsColumn = (cell: string) =>
  Object.values(REASONS_COLUMNS).some((name) => name.toLowerCase() === cell.trim().toLowerCase())
