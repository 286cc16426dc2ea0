// Creates the tables of claims. Every claim on a bookable is a row of bookings: a user's booking or, if
// event_id is set, the room of an event. Because there is a single table, one exclusion constraint ensures
// that no two exclusive claims on a bookable overlap.
import { sql } from './steps/sql.ts'

// There are two checks: an empty range overlaps nothing and would bypass the exclusion constraint, and a closed upper
// bound would make adjacent bookings collide.
const halfOpenChecksSql = (table: string) => `
      CONSTRAINT ${table}__during_half_open CHECK (
        NOT isempty(during) AND lower_inc(during) AND NOT upper_inc(during) AND lower(during) <> '-infinity'
        AND (upper_inf(during) OR upper(during) <> 'infinity')
      )`

export const up = sql`
    CREATE EXTENSION IF NOT EXISTS btree_gist;

    CREATE TABLE events (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT events__key PRIMARY KEY,
      name text NOT NULL CONSTRAINT events__name_length CHECK (char_length(name) BETWEEN 1 AND 255),
      description text NOT NULL DEFAULT ''
        CONSTRAINT events__description_length CHECK (char_length(description) <= 65535),
      during tstzrange NOT NULL,
      from_timezone text NOT NULL DEFAULT 'UTC',
      to_timezone text NOT NULL DEFAULT 'UTC',
      classification smallint NOT NULL DEFAULT 3
        CONSTRAINT events__classification_known CHECK (classification BETWEEN 0 AND 3),
      status smallint NOT NULL DEFAULT 1 CONSTRAINT events__status_known CHECK (status IN (1, 2)),
      organizer_user_id bigint NOT NULL CONSTRAINT events__organizer REFERENCES users,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      ${halfOpenChecksSql('events')}
    );
    CREATE INDEX events__organizer_lookup ON events (organizer_user_id);
    CREATE INDEX events__during_lookup ON events USING gist (during);

    CREATE TABLE event_attendees (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT event_attendees__key PRIMARY KEY,
      event_id bigint NOT NULL CONSTRAINT event_attendees__event REFERENCES events ON DELETE CASCADE,
      user_id bigint CONSTRAINT event_attendees__user REFERENCES users,
      email text CONSTRAINT event_attendees__email_length CHECK (char_length(email) BETWEEN 3 AND 255),
      role smallint NOT NULL DEFAULT 1 CONSTRAINT event_attendees__role_known CHECK (role IN (0, 1)),
      status smallint NOT NULL DEFAULT 0 CONSTRAINT event_attendees__status_known CHECK (status BETWEEN 0 AND 3),
      CONSTRAINT event_attendees__user_or_visitor CHECK ((user_id IS NULL) <> (email IS NULL))
    );
    CREATE UNIQUE INDEX event_attendees__user_once ON event_attendees (event_id, user_id) WHERE user_id IS NOT NULL;
    CREATE UNIQUE INDEX event_attendees__visitor_once
      ON event_attendees (event_id, lower(email)) WHERE email IS NOT NULL;
    -- This index finds all attendees of an event, which neither of the two indexes above contains.
    CREATE INDEX event_attendees__event_lookup ON event_attendees (event_id);
    CREATE INDEX event_attendees__user_lookup ON event_attendees (user_id);

    CREATE TABLE bookings (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT bookings__key PRIMARY KEY,
      bookable_id bigint NOT NULL CONSTRAINT bookings__bookable REFERENCES bookables,
      user_id bigint CONSTRAINT bookings__user REFERENCES users,
      event_id bigint CONSTRAINT bookings__event REFERENCES events ON DELETE CASCADE,
      during tstzrange NOT NULL,
      exclusive boolean NOT NULL,
      guest_name text CONSTRAINT bookings__guest_name_length CHECK (char_length(guest_name) BETWEEN 1 AND 255),
      guest_email text CONSTRAINT bookings__guest_email_length CHECK (char_length(guest_email) BETWEEN 3 AND 255),
      booking_info text
        CONSTRAINT bookings__booking_info_length CHECK (char_length(booking_info) BETWEEN 1 AND 1000),
      vehicle_id bigint CONSTRAINT bookings__vehicle REFERENCES vehicles ON DELETE SET NULL,
      license_plate text,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT bookings__user_or_event CHECK ((user_id IS NULL) <> (event_id IS NULL)),
      CONSTRAINT bookings__no_overlap
        EXCLUDE USING gist (bookable_id WITH =, during WITH &&) WHERE (exclusive),
      ${halfOpenChecksSql('bookings')}
    );
    CREATE INDEX bookings__bookable_lookup ON bookings (bookable_id, lower(during));
    CREATE INDEX bookings__user_lookup ON bookings (user_id, lower(during)) WHERE user_id IS NOT NULL;
    CREATE INDEX bookings__event_lookup ON bookings (event_id) WHERE event_id IS NOT NULL;
    CREATE INDEX bookings__vehicle_lookup ON bookings (vehicle_id) WHERE vehicle_id IS NOT NULL;
  `

// Reverting keeps the extension, because other tables of the database may use it.
export const down = sql`DROP TABLE bookings, event_attendees, events`
