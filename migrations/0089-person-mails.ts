// Adds mail to people about their bookings: which bookings a mail is about, and who changed them; what each person was
// told last; and the outbox position up to which changes have become mails. Migration 90 validates the constraint.
import { sql } from './steps/sql.ts'

export const contracts =
  'Replaces a check of mails with one that also allows mails about bookings. It refuses nothing that earlier releases insert.'

const PRESENT_MAIL_KINDS = `'invitation', 'password', 'webhook-disabled', 'arrival', 'monthly-report', 'sign-in'`

const kindCheckSql = (kinds: string, valid = '') => `
    ALTER TABLE mails DROP CONSTRAINT mails__kind_known;
    ALTER TABLE mails ADD CONSTRAINT mails__kind_known CHECK (kind IN (${kinds})) ${valid};`

export const up = sql`
    ALTER TABLE mails
      ADD COLUMN booking_ids bigint[], ADD COLUMN hold_id bigint,
      -- Who changed the bookings, and with which request.
      ADD COLUMN actor_type text, ADD COLUMN actor_id bigint, ADD COLUMN request_id text;
    -- Everything that one request changed for a person goes into one mail, until a process begins to send it.
    CREATE UNIQUE INDEX mails__request_once ON mails (user_id, kind, request_id)
      WHERE request_id IS NOT NULL AND attempts = 0;
    CREATE UNIQUE INDEX mails__reminder_once ON mails (booking_ids) WHERE kind = 'reminder';
    -- Links that somebody is waiting for are sent before all mails about bookings.
    CREATE INDEX mails__turn_lookup ON mails ((booking_ids IS NOT NULL), next_at) WHERE next_at IS NOT NULL;
    ${kindCheckSql(`${PRESENT_MAIL_KINDS}, 'confirmation', 'changed', 'reminder', 'offer', 'approval'`, 'NOT VALID')}

    CREATE TABLE told_bookings (
      user_id bigint NOT NULL CONSTRAINT told_bookings__user REFERENCES users ON DELETE CASCADE,
      -- Only an id, which may no longer exist.
      booking_id bigint NOT NULL,
      -- The place and time of the booking as the person was last told; null if they know of none.
      bookable_id bigint,
      during tstzrange,
      told_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT told_bookings__key PRIMARY KEY (user_id, booking_id),
      CONSTRAINT told_bookings__whole CHECK ((bookable_id IS NULL) = (during IS NULL))
    );
    CREATE INDEX told_bookings__age_lookup ON told_bookings (told_at);

    CREATE TABLE mail_position (
      horizon bigint NOT NULL,
      sequence bigint NOT NULL,
      at timestamptz NOT NULL,
      is_only boolean NOT NULL DEFAULT true
        CONSTRAINT mail_position__key PRIMARY KEY CONSTRAINT mail_position__only CHECK (is_only)
    );
  `

// Reverting deletes mails that the previous release cannot send.
export const down = sql`
    DROP TABLE told_bookings, mail_position;
    DELETE FROM mails WHERE booking_ids IS NOT NULL OR hold_id IS NOT NULL;
    ${kindCheckSql(PRESENT_MAIL_KINDS)}
    DROP INDEX mails__turn_lookup;
    ALTER TABLE mails DROP COLUMN booking_ids, DROP COLUMN hold_id,
      DROP COLUMN actor_type, DROP COLUMN actor_id, DROP COLUMN request_id;
  `
