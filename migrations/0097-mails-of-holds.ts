// Reminders, and mails about requests and offers: each at most once.
import { sql } from './steps/sql.ts'

export const up = sql`
    -- Until when a person who is reminded can check in: a booking that moves to another time has another.
    ALTER TABLE mails ADD COLUMN deadline timestamptz;
    DROP INDEX mails__reminder_once;
    CREATE UNIQUE INDEX mails__reminder_once ON mails (booking_ids, deadline) WHERE kind = 'reminder';
    CREATE UNIQUE INDEX mails__hold_once ON mails (hold_id, user_id) WHERE hold_id IS NOT NULL;
  `

// Deletes mails that the previous release cannot send.
export const down = sql`
    DELETE FROM mails WHERE kind IN ('reminder', 'offer', 'approval');
    DROP INDEX mails__hold_once;
    DROP INDEX mails__reminder_once;
    CREATE UNIQUE INDEX mails__reminder_once ON mails (booking_ids) WHERE kind = 'reminder';
    ALTER TABLE mails DROP COLUMN deadline;
  `
