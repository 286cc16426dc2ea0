// Who gets the monthly report by mail, in which language, and up to which month they have got it; and the month that a mail
// is about.
import { sql } from './steps/sql.ts'

export const contracts = 'Two checks of mails get wider: whatever the release before writes is still allowed.'

const checks = (kinds: string, subjects: string, valid = '') => `
    ALTER TABLE mails DROP CONSTRAINT mails__kind_known, DROP CONSTRAINT mails__about_one;
    ALTER TABLE mails
      ADD CONSTRAINT mails__kind_known CHECK (kind IN (${kinds})) ${valid},
      ADD CONSTRAINT mails__about_one CHECK (num_nonnulls(${subjects}) = 1) ${valid};`

const PRESENT = `'invitation', 'password', 'webhook-disabled', 'arrival'`

export const up = sql`
    CREATE TABLE monthly_report_mails (
      admin_id bigint CONSTRAINT monthly_report_mails__key PRIMARY KEY
        CONSTRAINT monthly_report_mails__admin REFERENCES admins ON DELETE CASCADE,
      language text NOT NULL CONSTRAINT monthly_report_mails__language_length CHECK (char_length(language) BETWEEN 2 AND 35),
      -- The first day of the last month that was mailed, or that was over before they asked for mails.
      last_month date NOT NULL
    );
    ALTER TABLE mails ADD COLUMN month date;
    ${checks(`${PRESENT}, 'monthly-report'`, 'link_hash, webhook_id, arrival_id, month', 'NOT VALID')}
  `

// Deletes mails that the previous release cannot send.
export const down = sql`
    DELETE FROM mails WHERE kind = 'monthly-report';
    ${checks(PRESENT, 'link_hash, webhook_id, arrival_id')}
    ALTER TABLE mails DROP COLUMN month;
    DROP TABLE monthly_report_mails;
  `
