// Adds reminders, and mails about requests and offers. Each of these mails is sent at most once.
import { sql } from './steps/sql.ts'

export const up = sql`
    -- The time until which a reminded person can check in. It changes when the booking moves to another time.
    ALTER TABLE mails ADD COLUMN deadline timestamptz;
    DROP INDEX mails__reminder_once;
    CREATE UNIQUE INDEX mails__reminder_once ON mails (booking_ids, deadline) WHERE kind = 'reminder';
    CREATE UNIQUE INDEX mails__hold_once ON mails (hold_id, user_id) WHERE hold_id IS NOT NULL;
  `

// Reverting deletes mails that the previous release cannot send.
export const down = sql`
    DELETE FROM mails WHERE kind IN ('reminder', 'offer', 'approval');
    DROP INDEX mails__hold_once;
    DROP INDEX mails__reminder_once;
    CREATE UNIQUE INDEX mails__reminder_once ON mails (booking_ids) WHERE kind = 'reminder';
    ALTER TABLE mails DROP COLUMN deadline;
  `
