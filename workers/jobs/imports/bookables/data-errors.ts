// Finds the errors of a row of desks, rooms and parking that depend on the data in the database.

import type { BookableFields } from '../../../../shared/bookables/bookable-columns.ts'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import type { RowErrors } from '../../../../shared/imports/headings.ts'
import { type Message, message } from '../../../../shared/messages/message.ts'

/** The first row of the file with this name, and how many bookables of the location have it. */
type NamedRow = { row_number: number; first_row: number; known_number: number }

type Facts = {
  before: BookableFields | null
  after: BookableFields
  /** The number of upcoming claims. */
  claims: number
}

export function describeData(row: NamedRow, facts: Facts): RowErrors | null {
  const found = [nameError(row), statusError(facts), typeError(facts)].filter((error) => error !== undefined)
  if (found.length === 0) return null
  return Object.fromEntries(found.map(([column, rule]) => [column, [rule]]))
}

type Found = [column: string, rule: Message] | undefined

function nameError({ row_number, first_row, known_number }: NamedRow): Found {
  if (first_row < row_number) return ['name', message`the name was already used in row ${first_row}`]
  if (known_number > 1)
    return ['name', message`several in this location have this name; give each a name of its own first`]
  return undefined
}

function statusError({ before, after, claims }: Facts): Found {
  const { assigned, blocked } = BOOKABLE_STATUSES
  if (!before || before.status === after.status) return undefined
  if (before.status === assigned)
    return ['status', message`it is assigned; end the assignment first, or leave the status empty`]
  if (after.status !== blocked || claims === 0) return undefined
  return [
    'status',
    message`it has upcoming bookings or events (${claims}); block it on its own page, where you choose what happens to them, or leave the status empty`,
  ]
}

// Each claim stores whether it is exclusive: that of a home office is not, all others are.
function typeError({ before, after, claims }: Facts): Found {
  const { homeOffice } = BOOKABLE_TYPES
  if (!before || claims === 0 || (before.type === homeOffice) === (after.type === homeOffice))
    return undefined
  return [
    'type',
    after.type === homeOffice
      ? message`it has upcoming bookings or events (${claims}), so it cannot be made a home office yet`
      : message`it has upcoming bookings or events (${claims}), so it cannot be made anything but a home office yet`,
  ]
}
