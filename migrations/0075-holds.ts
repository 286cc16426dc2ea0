// Adds holds, which keep a bookable for somebody who has not booked it yet: a request waits for an approver, and an
// offer waits for its person. While a hold is pending, its claim is a separate kind of row in bookings, so that the
// same exclusion constraint decides. Approving a request gives that row a user. Migration 76 validates the constraints.
import { sql } from './steps/sql.ts'

export const contracts =
  'The new check of bookings refuses nothing that earlier releases write. A trigger skips the new kind of rows.'

export const up = sql`
    CREATE TABLE holds (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT holds__key PRIMARY KEY,
      kind text NOT NULL CONSTRAINT holds__kind_known CHECK (kind IN ('request', 'offer')),
      state text NOT NULL DEFAULT 'pending' CONSTRAINT holds__state_known
        CHECK (state IN ('pending', 'approved', 'declined', 'withdrawn', 'lapsed', 'released')),
      bookable_id bigint NOT NULL CONSTRAINT holds__bookable REFERENCES bookables,
      user_id bigint NOT NULL CONSTRAINT holds__user REFERENCES users,
      during tstzrange NOT NULL CONSTRAINT holds__during_half_open CHECK (
        NOT isempty(during) AND lower_inc(during) AND NOT upper_inc(during) AND lower(during) <> '-infinity'
        AND NOT upper_inf(during) AND upper(during) <> 'infinity'
      ),
      guest_name text CONSTRAINT holds__guest_name_length CHECK (char_length(guest_name) BETWEEN 1 AND 255),
      guest_email text CONSTRAINT holds__guest_email_length CHECK (char_length(guest_email) BETWEEN 3 AND 255),
      booking_info text CONSTRAINT holds__booking_info_length CHECK (char_length(booking_info) BETWEEN 1 AND 1000),
      vehicle_id bigint CONSTRAINT holds__vehicle REFERENCES vehicles ON DELETE SET NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      decided_at timestamptz,
      -- Neither column is set if a token without a person decided, or if time has run out.
      decided_by_user_id bigint CONSTRAINT holds__decided_by_user REFERENCES users ON DELETE SET NULL,
      -- Only an id, not a foreign key, as in the audit log.
      decided_by_admin_id bigint,
      reason text CONSTRAINT holds__reason_length CHECK (char_length(reason) BETWEEN 1 AND 1000),
      -- The booking that an approved hold has become.
      booking_id bigint CONSTRAINT holds__booking_once UNIQUE
        CONSTRAINT holds__booking REFERENCES bookings ON DELETE SET NULL,
      CONSTRAINT holds__decided CHECK ((state = 'pending') = (decided_at IS NULL)),
      CONSTRAINT holds__booked_if_approved CHECK (booking_id IS NULL OR state = 'approved')
    );
    CREATE INDEX holds__user_lookup ON holds (user_id, id);
    CREATE INDEX holds__bookable_lookup ON holds (bookable_id, id);
    CREATE INDEX holds__expiry_lookup ON holds (expires_at) WHERE state = 'pending';
    CREATE INDEX holds__vehicle_lookup ON holds (vehicle_id) WHERE vehicle_id IS NOT NULL;
    CREATE INDEX holds__decided_by_user_lookup ON holds (decided_by_user_id) WHERE decided_by_user_id IS NOT NULL;

    ALTER TABLE bookings ADD COLUMN hold_id bigint;
    ALTER TABLE bookings DROP CONSTRAINT bookings__user_or_event;
    ALTER TABLE bookings
      ADD CONSTRAINT bookings__of_one CHECK (num_nonnulls(user_id, event_id, hold_id) = 1) NOT VALID,
      ADD CONSTRAINT bookings__hold FOREIGN KEY (hold_id) REFERENCES holds NOT VALID;
    -- Calendars never show holds.
    CREATE OR REPLACE TRIGGER bookings__cancelled AFTER DELETE ON bookings FOR EACH ROW
      WHEN (OLD.hold_id IS NULL) EXECUTE FUNCTION keep_cancelled_booking();
  `

// Reverting deletes holds, which the previous release does not know.
export const down = sql`
    CREATE OR REPLACE TRIGGER bookings__cancelled AFTER DELETE ON bookings FOR EACH ROW
      EXECUTE FUNCTION keep_cancelled_booking();
    DELETE FROM bookings WHERE hold_id IS NOT NULL;
    ALTER TABLE bookings DROP CONSTRAINT bookings__of_one, DROP COLUMN hold_id;
    ALTER TABLE bookings ADD CONSTRAINT bookings__user_or_event CHECK ((user_id IS NULL) <> (event_id IS NULL));
    DROP TABLE holds;
  `
