// Stores what the dashboard shows of an import before it is applied: the import's plan, row by row, for 24 hours, and
// its progress. Adds an index that reads people in the order of names.
import { sql } from './steps/sql.ts'

// There is no index for finding people by parts of words, because scanning all 200,000 takes a tenth of a second. An
// index of words or trigrams would be faster, but would nearly double the time of an import, and trigrams need an
// extension that not every managed database allows.
export const up = sql`
    CREATE TABLE import_plans (
      id uuid CONSTRAINT import_plans__key PRIMARY KEY,
      digest text NOT NULL,
      header text[] NOT NULL,
      counts jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX import_plans__expiry ON import_plans (expires_at);

    CREATE TABLE import_plan_rows (
      plan_id uuid NOT NULL CONSTRAINT import_plan_rows__plan REFERENCES import_plans ON DELETE CASCADE,
      section text NOT NULL CONSTRAINT import_plan_rows__section_known
        CHECK (section IN ('create', 'change', 'skip', 'error', 'deactivate')),
      place integer NOT NULL,
      row_number integer,
      user_id bigint,
      email text,
      name text,
      reason text,
      changes jsonb,
      errors jsonb,
      cells text[],
      CONSTRAINT import_plan_rows__key PRIMARY KEY (plan_id, section, place)
    );

    ALTER TABLE jobs ADD COLUMN step text, ADD COLUMN rows_read integer;
    CREATE INDEX jobs__plan_lookup ON jobs ((envelope #>> '{input,plan_id}')) WHERE name = 'users.import';
    CREATE INDEX users__name_order ON users (lower(name), id);
  `

export const down = sql`
    DROP INDEX IF EXISTS jobs__plan_lookup;
    DROP INDEX users__name_order;
    ALTER TABLE jobs DROP COLUMN step, DROP COLUMN rows_read;
    DROP TABLE import_plan_rows, import_plans;
  `
