// Stores who gets the monthly report by mail, in which language, the last month that each of them received, and the
// month that a mail is about.
import { sql } from './steps/sql.ts'

export const contracts = 'The two new checks of mails refuse nothing that earlier releases write.'

const mailChecksSql = (kinds: string, subjects: string, valid = '') => `
    ALTER TABLE mails DROP CONSTRAINT mails__kind_known, DROP CONSTRAINT mails__about_one;
    ALTER TABLE mails
      ADD CONSTRAINT mails__kind_known CHECK (kind IN (${kinds})) ${valid},
      ADD CONSTRAINT mails__about_one CHECK (num_nonnulls(${subjects}) = 1) ${valid};`

const PRESENT_MAIL_KINDS = `'invitation', 'password', 'webhook-disabled', 'arrival'`

export const up = sql`
    CREATE TABLE monthly_report_mails (
      admin_id bigint CONSTRAINT monthly_report_mails__key PRIMARY KEY
        CONSTRAINT monthly_report_mails__admin REFERENCES admins ON DELETE CASCADE,
      language text NOT NULL CONSTRAINT monthly_report_mails__language_length CHECK (char_length(language) BETWEEN 2 AND 35),
      -- The first day of the last month that was mailed, or that ended before they subscribed.
      last_month date NOT NULL
    );
    ALTER TABLE mails ADD COLUMN month date;
    ${mailChecksSql(`${PRESENT_MAIL_KINDS}, 'monthly-report'`, 'link_hash, webhook_id, arrival_id, month', 'NOT VALID')}
  `

// Reverting deletes mails that the previous release cannot send.
export const down = sql`
    DELETE FROM mails WHERE kind = 'monthly-report';
    ${mailChecksSql(PRESENT_MAIL_KINDS, 'link_hash, webhook_id, arrival_id')}
    ALTER TABLE mails DROP COLUMN month;
    DROP TABLE monthly_report_mails;
  `
