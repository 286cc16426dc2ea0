// Adds the identity of this database. The database's keys in Redis begin with it, and every job carries it. Otherwise a
// worker whose database differs from the gateway's could answer with ids that do not exist in the gateway's database.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE identity (
      id text DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 12) CONSTRAINT identity__key PRIMARY KEY
    );
    CREATE UNIQUE INDEX identity__only_row ON identity ((true));
    INSERT INTO identity DEFAULT VALUES;
  `

export const down = sql`DROP TABLE identity`
