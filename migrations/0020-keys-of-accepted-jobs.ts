// One table keeps the first answer of an idempotency key, also where that was 202: a key that had two memories, this table
// and `jobs`, could do its work twice. Its columns in `jobs` stay for gateways of the release before.
import type { Knex } from 'knex'

export const up = (database: Knex) =>
  database.raw(`
    INSERT INTO idempotency_keys (scope, key, fingerprint, created_at, outcome)
    SELECT idempotency_scope, idempotency_key, decode(idempotency_fingerprint, 'hex'), created_at,
      json_build_object('status', 202, 'body', json_build_object('data', json_build_object(
        'id', id, 'state', 'queued', 'progress', 0, 'result', NULL, 'file', NULL, 'error', NULL,
        'created_at', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'finished_at', NULL))::text)
    FROM jobs WHERE idempotency_key IS NOT NULL AND created_at > now() - interval '24 hours'
    ON CONFLICT DO NOTHING;
  `)

// What was copied expires by itself.
export const down = (database: Knex) => database.raw('SELECT 1')
