// Allows only imports and exports as accepted jobs, because upkeep queues everything in the table `jobs`, to which the
// gateway may write. A file lists its readers, so that a file that crashes its readers can be found.
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
