// Where the people are in an uploaded file: which sheet, which row has the headings, and what each column is. The
// process that reads files loads this, so the schema is elsewhere: shared/users/import-layout.ts.
import type { FileColumn } from './guess-columns.ts'

export const SHEETS_SHOWN = 8
export const COLUMNS_SHOWN = 60

export const FILE_COLUMNS = [
  'name',
  'first_name',
  'last_name',
  'email',
  'groups',
  'license_plates',
  'upn',
  'id',
] as const satisfies readonly FileColumn[]

export type Layout = {
  /** Counts the visible sheets from zero. */
  sheet: number
  heading_row: number
  /** Empty for a column that the import ignores. */
  columns: Array<FileColumn | ''>
  /** The key under which Berth remembers the layout: see headingsKey. */
  key: string
}

/** The first rows of each sheet, with their numbers. */
export type FilePreview = Array<{ name: string; rows: Array<{ number: number; cells: string[] }> }>
