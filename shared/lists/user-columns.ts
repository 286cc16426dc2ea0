// The columns of an import file: the names that its first row may give.
import type { Language } from '../messages/languages.ts'
import { nameColumns } from './headings.ts'

export type AttributeColumn = `extensionAttribute${number}`
export type UserColumn = 'id' | 'email' | 'upn' | 'name' | 'groups' | 'license_plates' | AttributeColumn

/** The last column of a file of refused rows; an import leaves it alone, in every language. */
export const REASONS_COLUMNS: Record<Language, string> = { en: 'What is wrong', de: 'Was falsch ist' }

/** Rows that another import refused: never everybody. */
export const holdsRefusedRows = (header: string[]) => header.some(isReasonsColumn)

export const isReasonsColumn = (cell: string) =>
  Object.values(REASONS_COLUMNS).some((name) => name.toLowerCase() === cell.trim().toLowerCase())

const PLAIN = ['id', 'email', 'upn', 'name', 'groups', 'license_plates'] as const

/** What people call a column whose own name is not in their file. */
const ALIASES: Record<string, UserColumn> = {
  'e-mail': 'email',
  mail: 'email',
  'e-mail-adresse': 'email',
  'email-adresse': 'email',
  'e-mail address': 'email',
  'email address': 'email',
  'full name': 'name',
  fullname: 'name',
}

/** What each heading names, by its place. */
export const userColumns = (headings: ReadonlyArray<string | undefined>): Array<UserColumn | undefined> =>
  nameColumns(headings, ownColumn, ALIASES)

function ownColumn(name: string): UserColumn | undefined {
  const number = /^extensionattribute([1-9][0-9]?)$/.exec(name)?.[1]
  return number ? `extensionAttribute${Number(number)}` : PLAIN.find((plain) => plain === name)
}

export function isAttribute(column: UserColumn): column is AttributeColumn {
  return column.startsWith('extensionAttribute')
}
