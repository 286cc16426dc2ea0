// Validates the constraints of 0075, which lets writers go on meanwhile.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`
    ALTER TABLE bookings VALIDATE CONSTRAINT bookings__of_one;
    ALTER TABLE bookings VALIDATE CONSTRAINT bookings__hold;
  `

// Validation needs no reverting.
export const down = async () => undefined
