// Adds absences: the days on which a person is away. The absences of a person cannot overlap.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE absences (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT absences__key PRIMARY KEY,
      user_id bigint NOT NULL CONSTRAINT absences__user REFERENCES users ON DELETE CASCADE,
      kind text NOT NULL DEFAULT 'away' CONSTRAINT absences__kind_known CHECK (kind IN ('away')),
      -- Local dates, in the time zone of any building. The upper bound is the day after the last day.
      days daterange NOT NULL CONSTRAINT absences__days_finite CHECK (
        NOT isempty(days) AND NOT lower_inf(days) AND NOT upper_inf(days)
        AND lower(days) <> '-infinity' AND upper(days) <> 'infinity'
      ),
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT absences__no_overlap EXCLUDE USING gist (user_id WITH =, days WITH &&),
      CONSTRAINT absences__days_limit CHECK (upper(days) - lower(days) <= 1100)
    );
    CREATE INDEX absences__user_lookup ON absences (user_id, lower(days), id);
    CREATE INDEX absences__age_lookup ON absences (upper(days));
  `

export const down = sql`DROP TABLE absences`
