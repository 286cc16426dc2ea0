// The schema of the columns that an administrator chooses for an uploaded file of people.
import type { FileColumn } from '../imports/guess-columns.ts'
import { COLUMNS_SHOWN, FILE_COLUMNS, SHEETS_SHOWN } from '../imports/layouts.ts'
import { message } from '../messages/message.ts'
import { choice, integer, list, object, required, text } from '../schemas/fields.ts'

const attributeColumns = Array.from({ length: 99 }, (_, index) => `extensionAttribute${index + 1}` as const)
const fileColumnChoices: Array<FileColumn | ''> = ['', ...FILE_COLUMNS, ...attributeColumns]

export const fileColumnInput = () =>
  choice(fileColumnChoices, (name) => message`${name} must be one of the choices.`)

export const layoutInput = object({
  sheet: required(integer({ min: 0, max: SHEETS_SHOWN - 1 })),
  heading_row: required(integer({ min: 1, max: 1_048_576 })),
  columns: required(list(required(fileColumnInput()), { max: COLUMNS_SHOWN })),
  key: required(text({ max: 64 })),
})
