// The header: which column of the file holds which field of a user.
import { type UserColumn, userColumns } from '../../shared/user-columns.ts'
import { type Cells, refuseFile } from './sheet.ts'

/** The known columns by their place in the file. */
export type Header = Map<UserColumn, number>

const NAMED_MAX = 10
const NAME_LENGTH_MAX = 40

export function parseHeader(cells: Cells): Header {
  const header: Header = new Map()
  for (const [place, column] of userColumns(cells).entries()) {
    if (!column) continue
    if (header.has(column)) throw refuseFile(`The file has the column “${column}” twice.`)
    header.set(column, place)
  }
  if (header.has('email')) return header
  const found = describeHeadings(cells)
  if (header.size > 0) throw refuseFile(`The file has no column “email”.${found}`)
  throw refuseFile(`The first row of the file must contain the column names, including “email”.${found}`)
}

export function countKnownColumns(cells: Cells): number {
  return userColumns(cells).filter((column) => column !== undefined).length
}

function describeHeadings(cells: Cells): string {
  const names = cells.map((cell) => cell?.trim() ?? '').filter((name) => name !== '')
  if (names.length === 0) return ''
  const shown = names.slice(0, NAMED_MAX).map((name) => `“${shorten(name)}”`)
  const left = names.length - shown.length
  return ` It begins with ${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}.`
}

function shorten(name: string): string {
  const characters = [...name.toWellFormed().replace(/\p{Cc}+/gu, ' ')]
  return characters.length > NAME_LENGTH_MAX
    ? `${characters.slice(0, NAME_LENGTH_MAX).join('')}…`
    : characters.join('')
}
