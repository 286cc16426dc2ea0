// Validates the constraint of 0089, which lets writers go on meanwhile.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`ALTER TABLE mails VALIDATE CONSTRAINT mails__kind_known`

// Validation needs no reverting.
export const down = async () => undefined
