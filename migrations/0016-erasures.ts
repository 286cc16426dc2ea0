// Adds erasures: the anonymous user who takes over an erased user's old bookings, and the searches for personal data
// that upkeep still has to do.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE users ADD COLUMN is_anonymous boolean NOT NULL DEFAULT false;
    CREATE UNIQUE INDEX users__anonymous_once ON users (is_anonymous) WHERE is_anonymous;

    CREATE TABLE erasures (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT erasures__key PRIMARY KEY,
      -- Not a foreign key, because the erased user no longer exists.
      user_id bigint NOT NULL,
      terms text[] NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      searched_at timestamptz
    );
  `

// Reverting leaves anonymous bookings with the anonymous user, who becomes an ordinary user.
export const down = sql`
    DROP TABLE erasures;
    DROP INDEX users__anonymous_once;
    ALTER TABLE users DROP COLUMN is_anonymous;
  `
