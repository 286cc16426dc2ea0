// Jobs that are accepted without waiting (202): stored in Postgres before anything else, where they survive the loss of
// all of Redis.
import type pg from 'pg'
import type { AcceptedJobName, Actor, Envelope, Idempotency, InputOf } from '../../shared/jobs.ts'
import { keyReused, Refusal } from '../../shared/refusal.ts'
import type { Ability } from '../../shared/tokens.ts'

export type AcceptedJob = { id: string; replayed: boolean }

export class AcceptedJobs {
  readonly #pool: pg.Pool

  constructor(primary: pg.Pool) {
    this.#pool = primary
  }

  /** The same request with the same idempotency key finds the job that the first one created. */
  async insert(
    name: AcceptedJobName,
    envelope: Envelope<InputOf<AcceptedJobName>>,
    idempotency: Idempotency | null,
    ability: Ability,
  ): Promise<AcceptedJob> {
    const client = await this.#connect()
    try {
      const isInserted = await insertJob(client, name, envelope, idempotency, ability)
      const job =
        isInserted || !idempotency
          ? { id: envelope.attempt, replayed: false }
          : await findReplayed(client, idempotency)
      client.release()
      return job
    } catch (error) {
      client.release(!(error instanceof Refusal))
      throw error
    }
  }

  async isStored(attempt: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'find-stored-job',
      text: 'SELECT FROM jobs WHERE id = $1',
      values: [attempt],
    })
    return rowCount === 1
  }

  // Where there is no connection, nothing has been handed over.
  #connect(): Promise<pg.PoolClient> {
    return this.#pool.connect().catch(() => {
      throw new Refusal(
        'unavailable',
        'The database is unavailable. Nothing was changed; try again shortly.',
        {
          reason: 'database_away',
        },
      )
    })
  }
}

async function insertJob(
  client: pg.PoolClient,
  name: AcceptedJobName,
  envelope: Envelope<InputOf<AcceptedJobName>>,
  idempotency: Idempotency | null,
  ability: Ability,
): Promise<boolean> {
  const { attempt, actor, input } = envelope
  const { rowCount } = await client.query({
    name: 'accept-job',
    text: `
      INSERT INTO jobs (id, name, ability, token_id, admin_id, actor_name, import_file_id, plan_id, envelope,
        idempotency_scope, idempotency_key, idempotency_fingerprint)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      ON CONFLICT (idempotency_scope, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING`,
    values: [
      attempt,
      name,
      ability,
      ...ownerOf(actor),
      'file_id' in input ? input.file_id : null,
      'plan_id' in input ? input.plan_id : null,
      JSON.stringify(envelope),
      idempotency?.scope ?? null,
      idempotency?.key ?? null,
      idempotency?.fingerprint ?? null,
    ],
  })
  return rowCount === 1
}

type KeyOwner = { id: string; fingerprint: string; isCalledOff: boolean }

async function findReplayed(
  client: pg.PoolClient,
  { scope, key, fingerprint }: Idempotency,
): Promise<AcceptedJob> {
  const { rows } = await client.query<KeyOwner>({
    name: 'find-accepted-job',
    text: `
      SELECT jobs.id, jobs.idempotency_fingerprint AS fingerprint, receipts.abandoned_at IS NOT NULL AS "isCalledOff"
      FROM jobs LEFT JOIN receipts ON receipts.attempt = jobs.id
      WHERE jobs.idempotency_scope = $1 AND jobs.idempotency_key = $2`,
    values: [scope, key],
  })
  const [owner] = rows
  if (owner && owner.fingerprint !== fingerprint) throw keyReused()
  // Upkeep takes its key from a job that was called off or has failed: it is free in a moment, or has just become so.
  if (!owner || owner.isCalledOff)
    throw new Refusal(
      'idempotency_key_in_use',
      'The first request with this Idempotency-Key has failed. Repeat the request in a moment.',
    )
  return { id: owner.id, replayed: true }
}

function ownerOf({ type, id, name }: Actor) {
  return [type === 'token' ? id : null, type === 'admin' ? id : null, name]
}
