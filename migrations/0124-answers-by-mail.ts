// Adds the position up to which Berth has read the mailbox for answers to invitations. Also adds a number that shows
// whether an answer is for the current time of its meeting.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE answer_mailboxes (
      -- The user, server and folder, without the password. A new mailbox is read from its beginning.
      mailbox text CONSTRAINT answer_mailboxes__key PRIMARY KEY,
      -- The UIDVALIDITY of the mailbox. The server changes it when all mails get new ids. Null before the first mail.
      uid_validity bigint,
      -- The id of the last mail that Berth has read.
      last_uid bigint NOT NULL DEFAULT 0,
      -- The process that may read the mailbox until leased_until.
      lease uuid NOT NULL,
      leased_until timestamptz NOT NULL
    );

    -- The SEQUENCE of the first mail that gave the same times as the last mail. Null for mails of earlier releases.
    ALTER TABLE invitations ADD COLUMN times_sequence bigint;
  `

export const down = sql`
    ALTER TABLE invitations DROP COLUMN times_sequence;
    DROP TABLE answer_mailboxes;
  `
