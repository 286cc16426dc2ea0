// Which job was refused, so that the pages can say what was tried: a booking, a move, a swap or another time. Empty for
// bookings that an earlier release kept.
import { sql } from './steps/sql.ts'

export const up = sql`ALTER TABLE refused_bookings ADD COLUMN job text;`

export const down = sql`ALTER TABLE refused_bookings DROP COLUMN job;`
