// Selects the names of the people that a requested meeting invites.
import { requestedAttendees } from '../../../../shared/booking-requests/booking-requests-shape.ts'
import { column } from '../../../reads/rows/rows.ts'

const SHOWN_MAX = 50

/** A column for rows of holds. Contains only the people that the reader of the page may see. */
export const REQUESTED_PEOPLE = column<string[]>(`ARRAY(
  SELECT coalesce(invitees.name, invited.name, invited.email)
  FROM ${requestedAttendees('holds.id')} ORDER BY invited.id LIMIT ${SHOWN_MAX})`)
