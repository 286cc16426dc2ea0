// Validates the constraints of 0073, which lets writers go on meanwhile.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`
    ALTER TABLE mails VALIDATE CONSTRAINT mails__kind_known;
    ALTER TABLE mails VALIDATE CONSTRAINT mails__about_one;
  `

// Validation needs no reverting.
export const down = async () => undefined
