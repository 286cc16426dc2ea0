// Mail to people about their bookings: which bookings a mail is about, and who changed them; what each person was told
// last; and up to where the changes have become mails. Migration 90 validates.
import { sql } from './steps/sql.ts'

export const contracts =
  'Only a check of mails is replaced, by one that also allows mails about bookings: earlier releases insert nothing that it refuses.'

const PRESENT = `'invitation', 'password', 'webhook-disabled', 'arrival', 'monthly-report', 'sign-in'`

const check = (kinds: string, valid = '') => `
    ALTER TABLE mails DROP CONSTRAINT mails__kind_known;
    ALTER TABLE mails ADD CONSTRAINT mails__kind_known CHECK (kind IN (${kinds})) ${valid};`

export const up = sql`
    ALTER TABLE mails
      ADD COLUMN booking_ids bigint[], ADD COLUMN hold_id bigint,
      -- Who changed them, and with which request.
      ADD COLUMN actor_type text, ADD COLUMN actor_id bigint, ADD COLUMN request_id text;
    -- What one request changed for a person is one mail, until somebody begins to send it.
    CREATE UNIQUE INDEX mails__request_once ON mails (user_id, kind, request_id)
      WHERE request_id IS NOT NULL AND attempts = 0;
    CREATE UNIQUE INDEX mails__reminder_once ON mails (booking_ids) WHERE kind = 'reminder';
    -- Links that somebody waits for go before any number of mails about bookings.
    CREATE INDEX mails__turn_lookup ON mails ((booking_ids IS NOT NULL), next_at) WHERE next_at IS NOT NULL;
    ${check(`${PRESENT}, 'confirmation', 'changed', 'reminder', 'offer', 'approval'`, 'NOT VALID')}

    CREATE TABLE told_bookings (
      user_id bigint NOT NULL CONSTRAINT told_bookings__user REFERENCES users ON DELETE CASCADE,
      -- Only an id, which need not exist any more.
      booking_id bigint NOT NULL,
      -- Where and when the booking is, as far as the person was told; null: they know of none.
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

// Deletes mails that the previous release cannot send.
export const down = sql`
    DROP TABLE told_bookings, mail_position;
    DELETE FROM mails WHERE booking_ids IS NOT NULL OR hold_id IS NOT NULL;
    ${check(PRESENT)}
    DROP INDEX mails__turn_lookup;
    ALTER TABLE mails DROP COLUMN booking_ids, DROP COLUMN hold_id,
      DROP COLUMN actor_type, DROP COLUMN actor_id, DROP COLUMN request_id;
  `
