// Counts how often the mail server has refused a mail, separately from how often a process has picked the mail up. Also
// sets the outbox position from which changes become mails, so that the position does not depend on the first process
// that sends mail.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE mails
      ADD COLUMN tries integer NOT NULL DEFAULT 0,
      -- The value of attempts when a process that knows this column took the mail. If it differs, an older release did.
      ADD COLUMN taken_attempts integer NOT NULL DEFAULT 0;
    -- When a process that sends mail to people last looked for changes.
    ALTER TABLE mail_position ADD COLUMN sender_at timestamptz;
    INSERT INTO mail_position (horizon, sequence, at)
      VALUES (changes_offset() + pg_snapshot_xmin(pg_current_snapshot())::text::bigint, 0, now()) ON CONFLICT DO NOTHING;
  `

export const down = sql`
    ALTER TABLE mails DROP COLUMN tries, DROP COLUMN taken_attempts;
    ALTER TABLE mail_position DROP COLUMN sender_at;
  `
