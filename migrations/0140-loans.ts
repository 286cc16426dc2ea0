// Adds loans: the days on which the owner of an assigned bookable lends it, so that everybody may book it.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE loans (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT loans__key PRIMARY KEY,
      bookable_id bigint NOT NULL,
      -- The owner. When the assignment ends, the foreign key ends its loans too, even if an earlier release deletes it.
      user_id bigint NOT NULL,
      -- Local dates, in the time zone of the building. The upper bound is the day after the last day.
      days daterange NOT NULL CONSTRAINT loans__days_finite CHECK (
        NOT isempty(days) AND NOT lower_inf(days) AND NOT upper_inf(days)
        AND lower(days) <> '-infinity' AND upper(days) <> 'infinity'
      ),
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT loans__assignee FOREIGN KEY (bookable_id, user_id) REFERENCES bookable_assignees ON DELETE CASCADE,
      CONSTRAINT loans__no_overlap EXCLUDE USING gist (bookable_id WITH =, days WITH &&),
      CONSTRAINT loans__days_limit CHECK (upper(days) - lower(days) <= 366)
    );
    CREATE INDEX loans__user_lookup ON loans (user_id, bookable_id);
    CREATE INDEX loans__age_lookup ON loans (upper(days));
  `

export const down = sql`DROP TABLE loans`
