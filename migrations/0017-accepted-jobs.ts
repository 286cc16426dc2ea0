// Only imports and exports may be accepted, because upkeep queues whatever is in jobs, and the gateway may
// write to that table. A file lists its readers, so that a file that crashes its readers is found.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE jobs ADD CONSTRAINT jobs__name_accepted CHECK (name IN (
      'users.import', 'users.plan-import', 'users.apply-import-plan', 'users.export', 'users.export-refused'));
    ALTER TABLE files ADD COLUMN readers uuid[] NOT NULL DEFAULT '{}';
  `

export const down = sql`
    ALTER TABLE files DROP COLUMN readers;
    ALTER TABLE jobs DROP CONSTRAINT jobs__name_accepted;
  `
