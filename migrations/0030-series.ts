// Adds series of repeating bookings. A series stores only the repetition; each of its bookings has its own user and
// bookable.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE series (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT series__key PRIMARY KEY,
      repeat json NOT NULL,
      timezone text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    ALTER TABLE bookings ADD COLUMN series_id bigint;
    ALTER TABLE bookings ADD CONSTRAINT bookings__series FOREIGN KEY (series_id) REFERENCES series NOT VALID;
  `

export const down = sql`ALTER TABLE bookings DROP COLUMN series_id; DROP TABLE series`
