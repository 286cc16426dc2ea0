// Validates the constraints of 0083, which lets writers go on meanwhile.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`
    ALTER TABLE mails VALIDATE CONSTRAINT mails__kind_known;
    ALTER TABLE mails VALIDATE CONSTRAINT mails__about_one;
    ALTER TABLE mails VALIDATE CONSTRAINT mails__to_one;
    ALTER TABLE mails VALIDATE CONSTRAINT mails__user;
    ALTER TABLE audit_log VALIDATE CONSTRAINT audit_log__actor_type_known;
  `

// Validation needs no reverting.
export const down = async () => undefined
