// Stores the columns that administrators have chosen in imports of people, for later files with the same headings, of
// which only a hash is stored. Until an administrator chooses the columns, a plan contains the first rows of its file
// instead of its own rows.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE import_plans ADD COLUMN preview jsonb;

    CREATE TABLE import_layouts (
      headings text CONSTRAINT import_layouts__key PRIMARY KEY,
      columns text[] NOT NULL,
      used_at timestamptz NOT NULL DEFAULT now()
    );
  `

export const down = sql`
    DROP TABLE import_layouts;
    ALTER TABLE import_plans DROP COLUMN preview;
  `
