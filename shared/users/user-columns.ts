// The columns of an import file of users: the names that its first row may contain.

import { nameColumns } from '../imports/headings.ts'
import type { Language } from '../messages/languages.ts'

export type AttributeColumn = `extensionAttribute${number}`
export type UserColumn = 'id' | 'email' | 'upn' | 'name' | 'groups' | 'license_plates' | AttributeColumn

/** The last column of a file of refused rows; an import ignores it in every language. */
export const REASONS_COLUMNS: Record<Language, string> = { en: 'What is wrong', de: 'Was falsch ist' }

/** A file of rows that another import refused, which never lists all users. */
export const holdsRefusedRows = (header: string[]) => header.some(isReasonsColumn)

export const isReasonsColumn = (cell: string) =>
  Object.values(REASONS_COLUMNS).some((name) => name.toLowerCase() === cell.trim().toLowerCase())

const PLAIN = ['id', 'email', 'upn', 'name', 'groups', 'license_plates'] as const

/** What people call a column in files that do not use its own name. */
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

/** The column that each heading names, by position. */
export const userColumns = (headings: ReadonlyArray<string | undefined>): Array<UserColumn | undefined> =>
  nameColumns(headings, ownColumn, ALIASES)

function ownColumn(name: string): UserColumn | undefined {
  const number = /^extensionattribute([1-9][0-9]?)$/.exec(name)?.[1]
  return number ? `extensionAttribute${Number(number)}` : PLAIN.find((plain) => plain === name)
}

export function isAttribute(column: UserColumn): column is AttributeColumn {
  return column.startsWith('extensionAttribute')
}
