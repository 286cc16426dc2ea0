// The header: which column of the file holds which field of a user.
import { type UserColumn, userColumn } from '../../shared/user-columns.ts'
import { type Cells, refuseFile } from './sheet.ts'

/** The known columns by their place in the file. */
export type Header = Map<UserColumn, number>

export function parseHeader(cells: Cells): Header {
  const header: Header = new Map()
  for (const [place, cell] of cells.entries()) {
    const column = userColumn(cell)
    if (!column) continue
    if (header.has(column)) throw refuseFile(`The file has the column “${column}” twice.`)
    header.set(column, place)
  }
  if (header.has('email')) return header
  if (header.size > 0) throw refuseFile('The file has no column “email”.')
  throw refuseFile('The first row of the file must contain the column names, including “email”.')
}

export function countKnownColumns(cells: Cells): number {
  return cells.filter((cell) => userColumn(cell) !== undefined).length
}
