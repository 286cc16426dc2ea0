// The layout of an uploaded file of people: which sheet to read, which row contains the headings, and what each column
// contains. The schema is in another file, shared/users/import-layout.ts, to keep the process that reads uploads small.
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
  /** The index of the sheet among the visible sheets, counted from zero. */
  sheet: number
  heading_row: number
  /** The content of each column. Empty for a column that the import ignores. */
  columns: Array<FileColumn | ''>
  /** The key under which Berth remembers the layout for files with the same headings: see createHeadingsKey. */
  key: string
}

/** The first rows of each sheet, with their row numbers. */
export type FilePreview = Array<{ name: string; rows: Array<{ number: number; cells: string[] }> }>
