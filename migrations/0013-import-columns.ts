// Turns four values in the envelope of an import's job into columns: the uploaded file, the import plan to apply, its
// author and the phase.
import { sql } from './steps/sql.ts'

export const up = sql`
    ALTER TABLE jobs RENAME COLUMN step TO phase;
    ALTER TABLE jobs
      ADD COLUMN admin_id bigint CONSTRAINT jobs__admin REFERENCES admins,
      ADD COLUMN actor_name text,
      -- Not a foreign key: two jobs may share a file, and deleting one job would lock the row of the other.
      ADD COLUMN import_file_id uuid,
      ADD COLUMN plan_id uuid;
    UPDATE jobs SET
      name = CASE
        WHEN envelope #>> '{input,plan_id}' IS NOT NULL THEN 'users.apply-import-plan'
        WHEN envelope #>> '{input,details}' = 'true' THEN 'users.plan-import'
        ELSE name END,
      phase = CASE phase WHEN 'comparing' THEN 'checked' ELSE phase END,
      admin_id = (SELECT id FROM admins WHERE envelope #>> '{actor,type}' = 'admin' AND id = (envelope #>> '{actor,id}')::bigint),
      actor_name = coalesce(envelope #>> '{actor,name}', ''),
      import_file_id = (envelope #>> '{input,file_id}')::uuid,
      plan_id = (envelope #>> '{input,plan_id}')::uuid;
    ALTER TABLE jobs
      ALTER COLUMN actor_name SET NOT NULL,
      ADD CONSTRAINT jobs__phase_known CHECK (phase IN ('reading', 'read', 'checked', 'applying', 'writing')),
      ADD CONSTRAINT jobs__one_owner CHECK (token_id IS NULL OR admin_id IS NULL);
    DROP INDEX jobs__plan_lookup;
    CREATE INDEX jobs__plan_lookup ON jobs (plan_id) WHERE plan_id IS NOT NULL;
    CREATE INDEX jobs__admin_lookup ON jobs (admin_id);
  `

export const down = sql`
    DROP INDEX jobs__admin_lookup, jobs__plan_lookup;
    ALTER TABLE jobs DROP CONSTRAINT jobs__phase_known, DROP CONSTRAINT jobs__one_owner;
    UPDATE jobs SET name = 'users.import' WHERE name IN ('users.plan-import', 'users.apply-import-plan');
    ALTER TABLE jobs
      DROP COLUMN admin_id, DROP COLUMN actor_name, DROP COLUMN import_file_id, DROP COLUMN plan_id;
    ALTER TABLE jobs RENAME COLUMN phase TO step;
    CREATE INDEX jobs__plan_lookup ON jobs ((envelope #>> '{input,plan_id}')) WHERE name = 'users.import';
  `
