// Only imports and exports may be accepted: upkeep puts into the queues what stands in jobs, and the gateway may write
// that table. A file knows who reads it, so that one that kills its readers is found.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    ALTER TABLE jobs ADD CONSTRAINT jobs__name_accepted CHECK (name IN (
      'users.import', 'users.plan-import', 'users.apply-import-plan', 'users.export', 'users.export-refused'));
    ALTER TABLE files ADD COLUMN readers uuid[] NOT NULL DEFAULT '{}';
  `)

export const down = (database: Knex) =>
  database.raw(`
    ALTER TABLE files DROP COLUMN readers;
    ALTER TABLE jobs DROP CONSTRAINT jobs__name_accepted;
  `)
