// Stores the first response to every idempotency key in one table, including a 202. If a key were in both this table
// and `jobs`, its work could be done twice. The columns in `jobs` stay for gateways of the previous release.
import { sql } from './steps/sql.ts'

export const up = sql`
    INSERT INTO idempotency_keys (scope, key, fingerprint, created_at, outcome)
    SELECT idempotency_scope, idempotency_key, decode(idempotency_fingerprint, 'hex'), created_at,
      json_build_object('status', 202, 'body', json_build_object('data', json_build_object(
        'id', id, 'state', 'queued', 'progress', 0, 'result', NULL, 'file', NULL, 'error', NULL,
        'created_at', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'finished_at', NULL))::text)
    FROM jobs WHERE idempotency_key IS NOT NULL AND created_at > now() - interval '24 hours'
    ON CONFLICT DO NOTHING;
  `

// Reverting does nothing, because the copied rows expire by themselves.
export const down = sql`SELECT 1`
