// Adds screens at the doors of rooms and in lobbies. Only the hash of the secret in a screen's URL is stored.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE screens (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT screens__key PRIMARY KEY,
      kind text NOT NULL CONSTRAINT screens__kind_known CHECK (kind IN ('door', 'lobby')),
      name text NOT NULL CONSTRAINT screens__name_length CHECK (char_length(name) BETWEEN 1 AND 255),
      hash bytea NOT NULL CONSTRAINT screens__hash_unique UNIQUE,
      bookable_id bigint CONSTRAINT screens__bookable REFERENCES bookables ON DELETE CASCADE,
      building_id bigint CONSTRAINT screens__building REFERENCES buildings ON DELETE CASCADE,
      -- The user for whom bookings at the screen are made. If null, nobody can book at the screen.
      booking_user_id bigint CONSTRAINT screens__booking_user REFERENCES users ON DELETE SET NULL,
      names text NOT NULL CONSTRAINT screens__names_known CHECK (names IN ('full', 'initials', 'none')),
      appearance text NOT NULL CONSTRAINT screens__appearance_known CHECK (appearance IN ('light', 'dark', 'e-ink')),
      language text NOT NULL CONSTRAINT screens__language_length CHECK (char_length(language) BETWEEN 2 AND 35),
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      last_seen_at timestamptz,
      revoked_at timestamptz,
      CONSTRAINT screens__of_one CHECK (CASE kind WHEN 'door' THEN bookable_id IS NOT NULL AND building_id IS NULL
        ELSE building_id IS NOT NULL AND bookable_id IS NULL END)
    );
    CREATE INDEX screens__bookable_lookup ON screens (bookable_id) WHERE bookable_id IS NOT NULL;
    CREATE INDEX screens__building_lookup ON screens (building_id) WHERE building_id IS NOT NULL;
    CREATE INDEX screens__booking_user_lookup ON screens (booking_user_id) WHERE booking_user_id IS NOT NULL;
  `

export const down = sql`DROP TABLE screens;`
