// Which database this is: its keys in Redis begin with it, and every job says whose it is. A worker that is told another
// database than the gateway would else answer with ids that the gateway's does not hold.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    CREATE TABLE identity (
      id text DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 12) CONSTRAINT identity__key PRIMARY KEY
    );
    CREATE UNIQUE INDEX identity__only_row ON identity ((true));
    INSERT INTO identity DEFAULT VALUES;
  `)

export const down = (database: Knex) => database.raw('DROP TABLE identity')
