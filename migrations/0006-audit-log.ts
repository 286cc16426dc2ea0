// Creates the audit log: who changed what, and when. Each write adds its row in its own transaction. Actors are also
// stored by name, because the log outlives tokens and administrators.
import { sql } from './steps/sql.ts'

export const up = sql`
    CREATE TABLE audit_log (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT audit_log__key PRIMARY KEY,
      at timestamptz NOT NULL DEFAULT now(),
      actor_type text NOT NULL CONSTRAINT audit_log__actor_type_known CHECK (actor_type IN ('token', 'admin', 'system')),
      actor_id bigint,
      actor_name text NOT NULL,
      action text NOT NULL,
      resource text NOT NULL,
      resource_id bigint,
      before jsonb,
      after jsonb,
      request_id text NOT NULL
    );
    CREATE INDEX audit_log__time ON audit_log (at);
    CREATE INDEX audit_log__resource_lookup ON audit_log (resource, resource_id);
    CREATE INDEX audit_log__actor_lookup ON audit_log (actor_type, actor_id);
  `

export const down = sql`DROP TABLE audit_log`
