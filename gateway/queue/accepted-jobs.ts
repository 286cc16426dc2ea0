// Accepts jobs without waiting (202): they are first stored in Postgres, where they survive the loss of all
// of Redis. The 202 is kept under the idempotency key like every other answer.
import type pg from 'pg'
import { tryLock } from '../../shared/database/locks.ts'
import { type AcceptedJobReply, acceptedJobText } from '../../shared/jobs/accepted-jobs.ts'
import { erasedKey, keyInUse, keyLock } from '../../shared/jobs/idempotency.ts'
import type { AcceptedJobName, Envelope, Idempotency, InputOf, Outcome } from '../../shared/jobs/jobs.ts'
import { keyReused, Refusal } from '../../shared/messages/refusal.ts'
import { selectedText } from '../../shared/schemas/json.ts'
import type { Ability } from '../../shared/tokens/token-store.ts'
import { databaseAway } from '../overload/refusals.ts'

/** Returns the 202, or the answer to the first request with its idempotency key, even a waited-for one. */
export async function storeJob(
  pool: pg.Pool,
  name: AcceptedJobName,
  envelope: Envelope<InputOf<AcceptedJobName>>,
  ability: Ability,
): Promise<Outcome> {
  const client = await pool.connect().catch(() => {
    // Without a connection, nothing has been sent.
    throw databaseAway()
  })
  try {
    const outcome =
      (await insertJob(client, name, envelope, ability)) ?? (await findKept(client, envelope.idempotency))
    client.release()
    return outcome
  } catch (error) {
    client.release(!(error instanceof Refusal))
    throw error
  }
}

/** The answer of an attempt whose row exists, even if it never reached the caller. */
export async function findStored(pool: pg.Pool, attempt: string): Promise<Outcome | undefined> {
  const { rows } = await pool.query<{ body: string }>({
    name: 'find-stored-job',
    text: `SELECT ${acceptedJobText} AS body FROM jobs WHERE id = $1`,
    values: [attempt],
  })
  return rows[0] && accepted(rows[0].body)
}

export async function findEnvelope(pool: pg.Pool, name: AcceptedJobName, id: string) {
  const text = 'SELECT envelope FROM jobs WHERE name = $1 AND id = $2'
  const { rows } = await pool.query<{ envelope: Envelope }>(text, [name, id])
  return rows[0]?.envelope
}

const accepted = (body: string): Outcome<AcceptedJobReply> => ({
  status: 202,
  body: selectedText(acceptedJobText, body),
})

// One statement, so that the job is stored with its key or not at all. A request that is waited for holds the
// lock of its key while it runs. If it has just ended, ON CONFLICT finds its key, because that looks later
// than the start of the statement.
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
        WHERE $10::text IS NOT NULL AND ${tryLock(keyLock("$9::text || ' ' || $10::text"))}
          AND NOT EXISTS (SELECT FROM idempotency_keys WHERE scope = $9 AND key = ${erasedKey('$10')})
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
  return rows[0] && accepted(rows[0].body)
}

type Kept = { outcome: Outcome; same: boolean; isCalledOff: boolean }

async function findKept(client: pg.PoolClient, idempotency: Idempotency | null): Promise<Outcome> {
  if (!idempotency) throw new Error('The job was not stored')
  const { scope, key, fingerprint } = idempotency
  const { rows } = await client.query<Kept>({
    name: 'find-kept-answer',
    text: `
      SELECT outcome, fingerprint = decode($3, 'hex') AS same, EXISTS (
        SELECT FROM receipts
        WHERE abandoned_at IS NOT NULL AND attempt = CASE WHEN idempotency_keys.outcome ->> 'status' = '202'
          THEN ((idempotency_keys.outcome ->> 'body')::json -> 'data' ->> 'id')::uuid END
      ) AS "isCalledOff"
      FROM idempotency_keys
      WHERE scope = $1 AND key IN ($2, ${erasedKey('$2')}) AND created_at > now() - interval '24 hours'`,
    values: [scope, key, fingerprint],
  })
  const [kept] = rows
  if (kept && !kept.same) throw keyReused()
  // If a job was called off or has failed, its key becomes free in a moment, or has just become so.
  if (!kept || kept.isCalledOff) throw keyInUse()
  return { ...kept.outcome, replayed: true }
}
