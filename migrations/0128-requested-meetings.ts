// Stores requested meetings until they are approved: the title, the attendees, and whether the attendees get
// invitations. Also stores who made a booking for somebody else. Migration 129 validates the constraints.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE holds
      -- The title of the meeting. Null if the request is for a booking.
      ADD COLUMN title text,
      ADD COLUMN invites boolean NOT NULL DEFAULT false,
      -- The meeting that was created when the request was approved.
      ADD COLUMN event_id bigint,
      ADD CONSTRAINT holds__title_length CHECK (char_length(title) BETWEEN 1 AND 255) NOT VALID,
      ADD CONSTRAINT holds__event FOREIGN KEY (event_id) REFERENCES events ON DELETE SET NULL NOT VALID;
    CREATE UNIQUE INDEX holds__event_once ON holds (event_id) WHERE event_id IS NOT NULL;

    CREATE TABLE hold_attendees (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT hold_attendees__key PRIMARY KEY,
      hold_id bigint NOT NULL CONSTRAINT hold_attendees__hold REFERENCES holds ON DELETE CASCADE,
      -- Either a user or the address of a guest.
      user_id bigint CONSTRAINT hold_attendees__user REFERENCES users ON DELETE CASCADE,
      email text CONSTRAINT hold_attendees__email_length CHECK (char_length(email) BETWEEN 3 AND 255),
      name text CONSTRAINT hold_attendees__name_length CHECK (char_length(name) BETWEEN 1 AND 255),
      CONSTRAINT hold_attendees__user_or_guest CHECK ((user_id IS NULL) <> (email IS NULL))
    );
    CREATE INDEX hold_attendees__hold_lookup ON hold_attendees (hold_id, id);
    CREATE INDEX hold_attendees__user_lookup ON hold_attendees (user_id) WHERE user_id IS NOT NULL;

    -- The person who made the booking for somebody else. Null for all other bookings.
    ALTER TABLE bookings ADD COLUMN booked_by_user_id bigint;
    ALTER TABLE bookings ADD CONSTRAINT bookings__booked_by_user
      FOREIGN KEY (booked_by_user_id) REFERENCES users ON DELETE SET NULL NOT VALID;
  `

export const down = sql`
    ALTER TABLE bookings DROP COLUMN booked_by_user_id;
    DROP TABLE hold_attendees;
    ALTER TABLE holds DROP COLUMN title, DROP COLUMN invites, DROP COLUMN event_id;
  `
