// The kinds of lists that an import file may contain, each with its columns and row rules.

import { type Header, type KnownColumns, parseHeader, USER_COLUMNS } from '../formats/columns.ts'
import type { Cells, SheetRow } from '../formats/sheet.ts'
import { BOOKABLE_LIST, createBookableWriter } from './bookable-rows.ts'
import { createLineWriter } from './user-rows.ts'

type WriteLine = (row: SheetRow) => string

type List = {
  columns: KnownColumns<string>
  /** Refuses a header that does not belong to this list. */
  open(headings: Cells, keepsCells: boolean): { columns: string[]; writeLine: WriteLine }
}

export const LISTS = {
  users: list(USER_COLUMNS, createLineWriter),
  bookables: list(BOOKABLE_LIST, createBookableWriter),
}
export type ListName = keyof typeof LISTS

export const isListName = (name: unknown): name is ListName =>
  typeof name === 'string' && Object.hasOwn(LISTS, name)

function list<Column extends string>(
  known: KnownColumns<Column>,
  createWriter: (header: Header<Column>, keepsCells: boolean) => WriteLine,
): List {
  return {
    columns: known,
    open(headings, keepsCells) {
      const header = parseHeader(headings, known)
      return { columns: [...header.keys()], writeLine: createWriter(header, keepsCells) }
    },
  }
}
