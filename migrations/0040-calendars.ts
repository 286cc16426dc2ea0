// Adds calendars: their secret URLs, stored as hashes; the revisions of bookings and events, which calendars must show;
// and cancelled bookings, which calendars must report. Triggers maintain revisions and cancellations, so that they
// cover every writer: handlers, upkeep, erasures and processes of the previous release.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE calendars (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT calendars__key PRIMARY KEY,
      hash bytea NOT NULL CONSTRAINT calendars__hash_unique UNIQUE,
      user_id bigint CONSTRAINT calendars__user REFERENCES users ON DELETE CASCADE,
      bookable_id bigint CONSTRAINT calendars__bookable REFERENCES bookables ON DELETE CASCADE,
      location_id bigint CONSTRAINT calendars__location REFERENCES locations ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT calendars__of_one CHECK (num_nonnulls(user_id, bookable_id, location_id) = 1)
    );
    CREATE INDEX calendars__user_lookup ON calendars (user_id) WHERE user_id IS NOT NULL;
    CREATE INDEX calendars__bookable_lookup ON calendars (bookable_id) WHERE bookable_id IS NOT NULL;
    CREATE INDEX calendars__location_lookup ON calendars (location_id) WHERE location_id IS NOT NULL;

    ALTER TABLE bookings ADD COLUMN revision integer NOT NULL DEFAULT 0;
    ALTER TABLE events ADD COLUMN revision integer NOT NULL DEFAULT 0;

    CREATE FUNCTION count_revision() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.revision := OLD.revision + 1; RETURN NEW; END $$;
    CREATE TRIGGER bookings__revision BEFORE UPDATE ON bookings FOR EACH ROW
      WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION count_revision();
    CREATE TRIGGER events__revision BEFORE UPDATE ON events FOR EACH ROW
      WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION count_revision();

    -- Contains only ids, whose rows may no longer exist, for 30 days. A room that an event gave up has one row.
    CREATE TABLE cancelled_bookings (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT cancelled_bookings__key PRIMARY KEY,
      booking_id bigint NOT NULL,
      event_id bigint,
      bookable_id bigint NOT NULL,
      user_id bigint,
      during tstzrange NOT NULL,
      revision integer NOT NULL,
      created_at timestamptz NOT NULL,
      cancelled_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT cancelled_bookings__room_once UNIQUE (event_id, bookable_id)
    );
    CREATE INDEX cancelled_bookings__bookable_lookup ON cancelled_bookings (bookable_id);
    CREATE INDEX cancelled_bookings__user_lookup ON cancelled_bookings (user_id) WHERE user_id IS NOT NULL;
    CREATE INDEX cancelled_bookings__age_lookup ON cancelled_bookings (cancelled_at);

    CREATE FUNCTION keep_cancelled_booking() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO cancelled_bookings (booking_id, event_id, bookable_id, user_id, during, revision, created_at)
        VALUES (OLD.id, OLD.event_id, OLD.bookable_id, OLD.user_id, OLD.during, OLD.revision, OLD.created_at)
        ON CONFLICT (event_id, bookable_id) DO UPDATE SET booking_id = excluded.booking_id, during = excluded.during,
          revision = excluded.revision, cancelled_at = excluded.cancelled_at;
        RETURN NULL;
      END $$;
    CREATE TRIGGER bookings__cancelled AFTER DELETE ON bookings FOR EACH ROW EXECUTE FUNCTION keep_cancelled_booking();
  `

export const down = sql`
    DROP TRIGGER bookings__cancelled ON bookings;
    DROP TRIGGER bookings__revision ON bookings;
    DROP TRIGGER events__revision ON events;
    DROP FUNCTION keep_cancelled_booking, count_revision;
    ALTER TABLE bookings DROP COLUMN revision;
    ALTER TABLE events DROP COLUMN revision;
    DROP TABLE cancelled_bookings, calendars;
  `
