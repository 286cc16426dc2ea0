// Validates the constraints of migration 120 for existing mails.
import { sql } from './steps/sql.ts'

export const config = { transaction: false }

export const up = sql`
    ALTER TABLE mails VALIDATE CONSTRAINT mails__kind_known;
    ALTER TABLE mails VALIDATE CONSTRAINT mails__about_one;
    ALTER TABLE mails VALIDATE CONSTRAINT mails__to_one;
    ALTER TABLE mails VALIDATE CONSTRAINT mails__invitation;
    ALTER TABLE event_attendees VALIDATE CONSTRAINT event_attendees__name_length;
  `

export const down = async (): Promise<void> => undefined
