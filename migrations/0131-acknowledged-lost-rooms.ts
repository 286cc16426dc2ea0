// Stores for each lost room whether its meeting still needs a replacement, so that pages can also show that a meeting
// in two rooms has lost one of them.
import { sql } from './steps/sql.ts'

export const up = sql`
    -- Whether the meeting needs no replacement: its organizer gave the room up, or it got another room afterwards.
    ALTER TABLE cancelled_bookings ADD COLUMN acknowledged boolean NOT NULL DEFAULT false;
    UPDATE cancelled_bookings SET acknowledged = true WHERE event_id IS NOT NULL AND EXISTS (
      SELECT FROM bookings WHERE bookings.event_id = cancelled_bookings.event_id AND released_at IS NULL);

    CREATE OR REPLACE FUNCTION keep_cancelled_booking() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO cancelled_bookings (booking_id, event_id, bookable_id, user_id, during, revision, created_at)
        VALUES (OLD.id, OLD.event_id, OLD.bookable_id, OLD.user_id, OLD.during, OLD.revision, OLD.created_at)
        ON CONFLICT (event_id, bookable_id) DO UPDATE SET booking_id = excluded.booking_id, during = excluded.during,
          revision = excluded.revision, cancelled_at = excluded.cancelled_at, acknowledged = false;
        RETURN NULL;
      END $$;
  `

export const down = sql`
    CREATE OR REPLACE FUNCTION keep_cancelled_booking() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO cancelled_bookings (booking_id, event_id, bookable_id, user_id, during, revision, created_at)
        VALUES (OLD.id, OLD.event_id, OLD.bookable_id, OLD.user_id, OLD.during, OLD.revision, OLD.created_at)
        ON CONFLICT (event_id, bookable_id) DO UPDATE SET booking_id = excluded.booking_id, during = excluded.during,
          revision = excluded.revision, cancelled_at = excluded.cancelled_at;
        RETURN NULL;
      END $$;
    ALTER TABLE cancelled_bookings DROP COLUMN acknowledged;
  `
