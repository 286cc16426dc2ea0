// Stores the bookings that were refused within the last thirty days, for the pages of people and places: who requested
// what, and why it was refused. The table contains only ids, whose rows may no longer exist.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE refused_bookings (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT refused_bookings__key PRIMARY KEY,
      at timestamptz NOT NULL,
      user_id bigint NOT NULL,
      bookable_id bigint NOT NULL,
      during tstzrange NOT NULL,
      code text NOT NULL,
      detail jsonb NOT NULL,
      actor_type text NOT NULL,
      actor_id bigint
    );
    CREATE INDEX refused_bookings__user_lookup ON refused_bookings (user_id, at);
    CREATE INDEX refused_bookings__bookable_lookup ON refused_bookings (bookable_id, at);
    CREATE INDEX refused_bookings__age_lookup ON refused_bookings (at);
  `

export const down = sql`DROP TABLE refused_bookings;`
