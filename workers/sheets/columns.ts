// The header: which column of the file holds which field of a user.
import { type Cells, refuseFile } from './sheet.ts'

export type AttributeColumn = `extensionAttribute${number}`
export type UserColumn = 'id' | 'email' | 'upn' | 'name' | 'groups' | 'license_plates' | AttributeColumn

/** The known columns by their place in the file. */
export type Header = Map<UserColumn, number>

const PLAIN = ['id', 'email', 'upn', 'name', 'groups', 'license_plates'] as const

export function parseHeader(cells: Cells): Header {
  const header: Header = new Map()
  for (const [place, cell] of cells.entries()) {
    const column = columnOf(cell)
    if (!column) continue
    if (header.has(column)) throw refuseFile(`The file has the column “${column}” twice.`)
    header.set(column, place)
  }
  if (header.has('email')) return header
  if (header.size > 0) throw refuseFile('The file has no column “email”.')
  throw refuseFile('The first row of the file must hold the names of the columns, “email” among them.')
}

export function countKnownColumns(cells: Cells): number {
  return cells.filter((cell) => columnOf(cell) !== undefined).length
}

export function isAttribute(column: UserColumn): column is AttributeColumn {
  return column.startsWith('extensionAttribute')
}

function columnOf(cell: string | undefined): UserColumn | undefined {
  const name = cell?.trim().toLowerCase()
  if (!name) return undefined
  const number = /^extensionattribute([1-9][0-9]?)$/.exec(name)?.[1]
  return number ? `extensionAttribute${Number(number)}` : PLAIN.find((plain) => plain === name)
}
