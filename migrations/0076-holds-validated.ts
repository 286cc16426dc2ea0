// Validates the constraints of migration 0075 without blocking writers.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`
    ALTER TABLE bookings VALIDATE CONSTRAINT bookings__of_one;
    ALTER TABLE bookings VALIDATE CONSTRAINT bookings__hold;
  `

// A validation does not need to be reverted.
export const down = async () => undefined
