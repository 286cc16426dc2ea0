// Where the people are in somebody else's file: which sheet, which row has the headings, and what each column is.
import type * as yup from 'yup'
import { message } from '../messages/message.ts'
import { choice, integer, list, object, required, text } from '../schemas/fields.ts'
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

const attributes = Array.from({ length: 99 }, (_, index) => `extensionAttribute${index + 1}` as const)

/** Empty for a column that is left out. */
export const fileColumn = () =>
  choice(['', ...FILE_COLUMNS, ...attributes], (name) => message`${name} must be one of the choices.`)

export const layoutInput = object({
  /** Counts the visible sheets from zero. */
  sheet: required(integer({ min: 0, max: SHEETS_SHOWN - 1 })),
  heading_row: required(integer({ min: 1, max: 1_048_576 })),
  columns: required(list(required(fileColumn()), { max: COLUMNS_SHOWN })),
  /** What the layout is remembered by: see headingsKey. */
  key: required(text({ max: 64 })),
})
export type Layout = yup.InferType<typeof layoutInput>

/** The first rows of each sheet, with their numbers. */
export type FilePreview = Array<{ name: string; rows: Array<{ number: number; cells: string[] }> }>
