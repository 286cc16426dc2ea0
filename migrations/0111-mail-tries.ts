// How often the server has refused a mail, apart from how often a process has taken it; and the place in the outbox from which on
// changes become mails begins now, not when the first process sends mail.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE mails
      ADD COLUMN tries integer NOT NULL DEFAULT 0,
      -- attempts, when a process that knows this column took the mail. Another number: a process of an earlier release has it.
      ADD COLUMN taken_attempts integer NOT NULL DEFAULT 0;
    -- When a process last looked that sends mail to people.
    ALTER TABLE mail_position ADD COLUMN sender_at timestamptz;
    INSERT INTO mail_position (horizon, sequence, at)
      VALUES (changes_offset() + pg_snapshot_xmin(pg_current_snapshot())::text::bigint, 0, now()) ON CONFLICT DO NOTHING;
  `

export const down = sql`
    ALTER TABLE mails DROP COLUMN tries, DROP COLUMN taken_attempts;
    ALTER TABLE mail_position DROP COLUMN sender_at;
  `
