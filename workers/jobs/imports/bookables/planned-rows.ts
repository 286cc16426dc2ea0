// The rows of a list of desks, rooms and parking, each with the existing bookable of its name and its
// outcome.
import type { FlagWord, StatusWord, TypeWord } from '../../../../shared/bookables/bookable-columns.ts'
import type { RowErrors } from '../../../../shared/messages/row-errors.ts'

/** The fields of a bookable that a list may set, named as in the database. */
export type BookableFields = {
  name: string
  type: number
  description: string | null
  tags: string[]
  status: number
  capacity: number | null
  requires_vehicle: boolean
  position_x: number | null
  position_y: number | null
}

export type Known = BookableFields & { id: number }

export type PlannedRow = {
  row_number: number
  section: 'create' | 'change' | 'skip' | 'error'
  name: string | null
  /** The bookable that has the name already. */
  bookable_id: number | null
  /** Each field with its present and its future value. */
  changes: Record<string, [before: unknown, after: unknown]> | null
  errors: RowErrors | null
  /** The bookable after the import. */
  fields: BookableFields
}

/** A staged row, with the bookable that has its name. */
export type NamedRow = {
  row_number: number
  name: string | null
  type: TypeWord | null
  description: string | null
  tags: string[] | null
  status: StatusWord | null
  capacity: number | null
  requires_vehicle: FlagWord | null
  position_x: number | null
  position_y: number | null
  errors: RowErrors | null
  /** The first row of the file with this name. */
  first_row: number
  known: Known | null
  /** How many bookables of the location have this name. */
  known_number: number
}
