// Validates the constraints of migration 0073 without blocking writers.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`
    ALTER TABLE mails VALIDATE CONSTRAINT mails__kind_known;
    ALTER TABLE mails VALIDATE CONSTRAINT mails__about_one;
  `

// A validation does not need to be reverted.
export const down = async () => undefined
