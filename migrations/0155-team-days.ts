// Adds team days (days on which a group comes to the office together), and the leads of groups, who may set them.
import { sql } from './steps/sql.ts'

export const up = sql`
    -- Whether every member may set team days, and not only the leads.
    ALTER TABLE groups ADD COLUMN anybody_names_team_days boolean NOT NULL DEFAULT false;
    CREATE TABLE group_leads (
      group_id bigint NOT NULL,
      user_id bigint NOT NULL,
      CONSTRAINT group_leads__key PRIMARY KEY (group_id, user_id),
      CONSTRAINT group_leads__member FOREIGN KEY (group_id, user_id) REFERENCES group_members (group_id, user_id)
        ON DELETE CASCADE
    );
    CREATE INDEX group_leads__user_lookup ON group_leads (user_id);
    CREATE TABLE team_days (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT team_days__key PRIMARY KEY,
      group_id bigint NOT NULL CONSTRAINT team_days__group REFERENCES groups ON DELETE CASCADE,
      -- Either one local date, or a weekday on which the team day takes place every week, from 1 (Monday) to 7 (Sunday).
      date date CONSTRAINT team_days__date_finite CHECK (isfinite(date)),
      weekday smallint CONSTRAINT team_days__weekday_known CHECK (weekday BETWEEN 1 AND 7),
      location_id bigint CONSTRAINT team_days__location REFERENCES locations ON DELETE SET NULL,
      note text CONSTRAINT team_days__note_length CHECK (length(note) BETWEEN 1 AND 255),
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT team_days__date_or_weekday CHECK ((date IS NULL) <> (weekday IS NULL)),
      CONSTRAINT team_days__one_a_date UNIQUE (group_id, date),
      CONSTRAINT team_days__one_a_weekday UNIQUE (group_id, weekday)
    );
    CREATE INDEX team_days__location_lookup ON team_days (location_id);
  `

export const down = sql`
    DROP TABLE team_days;
    DROP TABLE group_leads;
    ALTER TABLE groups DROP COLUMN anybody_names_team_days;
  `
