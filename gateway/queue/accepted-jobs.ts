// Accepts jobs and responds with 202 at once. Jobs are first stored in Postgres, where they survive the loss of all of
// Redis. Like every other response, the 202 is stored under the idempotency key.
import type pg from 'pg'
import { tryLockSql } from '../../shared/database/locks.ts'
import { type AcceptedJobReply, acceptedJobText } from '../../shared/jobs/accepted-jobs.ts'
import { createKeyInUseRefusal, erasedKeySql, idempotencyLockKeySql } from '../../shared/jobs/idempotency.ts'
import type { AcceptedJobName, Envelope, Idempotency, InputOf, Outcome } from '../../shared/jobs/jobs.ts'
import { createKeyReusedRefusal, Refusal } from '../../shared/messages/refusal.ts'
import { selectedText } from '../../shared/schemas/json.ts'
import type { Ability } from '../../shared/tokens/token-store.ts'
import { databaseUnavailable } from '../overload/refusals.ts'

/**
 * Stores a job, and returns the 202. If the idempotency key has been used before, returns the response to the first
 * request with this key, even if that request was not accepted as a job.
 */
export async function storeJob(
  pool: pg.Pool,
  name: AcceptedJobName,
  envelope: Envelope<InputOf<AcceptedJobName>>,
  ability: Ability,
): Promise<Outcome> {
  const client = await pool.connect().catch(() => {
    // The statement was not sent, because there was no connection.
    throw databaseUnavailable()
  })
  try {
    const outcome =
      (await insertJob(client, name, envelope, ability)) ??
      (await findKeyedOutcome(client, envelope.idempotency))
    client.release()
    return outcome
  } catch (error) {
    client.release(!(error instanceof Refusal))
    throw error
  }
}

/** Finds the outcome of an attempt that was stored, even if the response never reached the caller. */
export async function findAcceptedOutcome(pool: pg.Pool, attempt: string): Promise<Outcome | undefined> {
  const { rows } = await pool.query<{ body: string }>({
    name: 'find-stored-job',
    text: `SELECT ${acceptedJobText} AS body FROM jobs WHERE id = $1`,
    values: [attempt],
  })
  return rows[0] && createAcceptedOutcome(rows[0].body)
}

export async function findEnvelope(pool: pg.Pool, name: AcceptedJobName, id: string) {
  const text = 'SELECT envelope FROM jobs WHERE name = $1 AND id = $2'
  const { rows } = await pool.query<{ envelope: Envelope }>(text, [name, id])
  return rows[0]?.envelope
}

const createAcceptedOutcome = (body: string): Outcome<AcceptedJobReply> => ({
  status: 202,
  body: selectedText(acceptedJobText, body),
})

// Inserts the job in one statement, so that it is stored with its idempotency key or not at all. A write whose caller
// waits holds the lock of its key while it runs. If the write has just ended, ON CONFLICT still finds its key, because
// it sees rows that were committed after the statement started.
async function insertJob(
  client: pg.PoolClient,
  name: AcceptedJobName,
  envelope: Envelope<InputOf<AcceptedJobName>>,
  ability: Ability,
): Promise<Outcome | undefined> {
  const { attempt, actor, input, idempotency } = envelope
  const { rows } = await client.query<{ body: string }>({
    name: 'accept-job',
    text: `
      WITH accepted AS (
        SELECT ${acceptedJobText} AS body FROM (SELECT $1::uuid AS id, now() AS created_at) AS jobs
      ), claimed AS (
        INSERT INTO idempotency_keys (scope, key, fingerprint, outcome)
        SELECT $9, $10, decode($11, 'hex'), json_build_object('status', 202, 'body', body)
        FROM accepted
        WHERE $10::text IS NOT NULL AND ${tryLockSql(idempotencyLockKeySql("$9::text || ' ' || $10::text"))}
          AND NOT EXISTS (SELECT FROM idempotency_keys WHERE scope = $9 AND key = ${erasedKeySql('$10')})
        ON CONFLICT (scope, key) DO UPDATE
        SET fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = now()
        WHERE idempotency_keys.created_at <= now() - interval '24 hours'
        RETURNING key
      ), stored AS (
        INSERT INTO jobs (id, name, ability, token_id, admin_id, actor_name, import_file_id, plan_id, envelope)
        SELECT $1, $2, $3, $4, $5, $6, $7, $12, $8
        WHERE $10::text IS NULL OR EXISTS (SELECT FROM claimed)
        RETURNING id
      )
      SELECT body FROM accepted, stored`,
    values: [
      attempt,
      name,
      ability,
      ...['token', 'admin'].map((type) => (actor.type === type ? actor.id : null)),
      actor.name,
      'file_id' in input ? input.file_id : null,
      JSON.stringify(envelope),
      idempotency?.scope ?? null,
      idempotency?.key ?? null,
      idempotency?.fingerprint ?? null,
      'plan_id' in input ? input.plan_id : null,
    ],
  })
  return rows[0] && createAcceptedOutcome(rows[0].body)
}

type KeyedOutcome = { outcome: Outcome; same: boolean; isCalledOff: boolean }

async function findKeyedOutcome(client: pg.PoolClient, idempotency: Idempotency | null): Promise<Outcome> {
  if (!idempotency) throw new Error('The job was not stored')
  const { scope, key, fingerprint } = idempotency
  const { rows } = await client.query<KeyedOutcome>({
    name: 'find-kept-answer',
    text: `
      SELECT outcome, fingerprint = decode($3, 'hex') AS same, EXISTS (
        SELECT FROM receipts
        WHERE abandoned_at IS NOT NULL AND attempt = CASE WHEN idempotency_keys.outcome ->> 'status' = '202'
          THEN ((idempotency_keys.outcome ->> 'body')::json -> 'data' ->> 'id')::uuid END
      ) AS "isCalledOff"
      FROM idempotency_keys
      WHERE scope = $1 AND key IN ($2, ${erasedKeySql('$2')}) AND created_at > now() - interval '24 hours'`,
    values: [scope, key, fingerprint],
  })
  const [kept] = rows
  if (kept && !kept.same) throw createKeyReusedRefusal()
  // If a job was cancelled or has failed, its idempotency key was just released or soon will be.
  if (!kept || kept.isCalledOff) throw createKeyInUseRefusal()
  return { ...kept.outcome, replayed: true }
}
