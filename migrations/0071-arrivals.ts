// Adds the arrivals of visitors: attendees of events with only an e-mail, and guests of bookings. An arrival has no
// personal data of the visitor, and is deleted together with the attendee or booking. The host may get one mail about
// it. Migration 72 validates the constraints.
import { sql } from './steps/sql.ts'

export const contracts =
  'Replaces constraints of mails with constraints that also allow mails to hosts. They refuse nothing that earlier releases insert.'

export const up = sql`
    CREATE TABLE arrivals (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT arrivals__key PRIMARY KEY,
      attendee_id bigint CONSTRAINT arrivals__attendee_once UNIQUE
        CONSTRAINT arrivals__attendee REFERENCES event_attendees ON DELETE CASCADE,
      booking_id bigint CONSTRAINT arrivals__booking_once UNIQUE
        CONSTRAINT arrivals__booking REFERENCES bookings ON DELETE CASCADE,
      arrived_at timestamptz NOT NULL,
      host_told_at timestamptz,
      -- The administrator who notified the host.
      host_told_by bigint CONSTRAINT arrivals__host_told_by REFERENCES admins ON DELETE SET NULL,
      CONSTRAINT arrivals__of_one CHECK (num_nonnulls(attendee_id, booking_id) = 1)
    );
    CREATE INDEX arrivals__host_told_by_lookup ON arrivals (host_told_by) WHERE host_told_by IS NOT NULL;

    ALTER TABLE mails ADD COLUMN arrival_id bigint;
    ALTER TABLE mails ALTER COLUMN admin_id DROP NOT NULL;
    ALTER TABLE mails DROP CONSTRAINT mails__kind_known, DROP CONSTRAINT mails__about_one;
    ALTER TABLE mails
      ADD CONSTRAINT mails__kind_known
        CHECK (kind IN ('invitation', 'password', 'webhook-disabled', 'arrival')) NOT VALID,
      ADD CONSTRAINT mails__about_one CHECK (num_nonnulls(link_hash, webhook_id, arrival_id) = 1) NOT VALID,
      ADD CONSTRAINT mails__to_one CHECK ((admin_id IS NULL) = (arrival_id IS NOT NULL)) NOT VALID,
      ADD CONSTRAINT mails__arrival FOREIGN KEY (arrival_id) REFERENCES arrivals ON DELETE CASCADE NOT VALID;
    CREATE UNIQUE INDEX mails__arrival_once ON mails (arrival_id) WHERE arrival_id IS NOT NULL;
  `

export const down = sql`
    DELETE FROM mails WHERE arrival_id IS NOT NULL;
    ALTER TABLE mails DROP COLUMN arrival_id;
    ALTER TABLE mails DROP CONSTRAINT mails__kind_known;
    ALTER TABLE mails
      ADD CONSTRAINT mails__kind_known CHECK (kind IN ('invitation', 'password', 'webhook-disabled')),
      ADD CONSTRAINT mails__about_one CHECK (num_nonnulls(link_hash, webhook_id) = 1);
    ALTER TABLE mails ALTER COLUMN admin_id SET NOT NULL;
    DROP TABLE arrivals;
  `
