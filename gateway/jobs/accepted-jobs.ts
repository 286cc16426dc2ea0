// Jobs that are accepted without waiting (202): stored in Postgres before anything else, where they survive the loss of
// all of Redis.
import type pg from 'pg'
import { onlyRow } from '../../shared/database.ts'
import type { Actor, Envelope, InputOf, JobName } from '../../shared/jobs.ts'
import { keyReused } from '../../shared/refusal.ts'
import type { Ability } from '../../shared/tokens.ts'

export type AcceptedJob = { id: string; replayed: boolean }

export class AcceptedJobs {
  readonly #pool: pg.Pool

  constructor(primary: pg.Pool) {
    this.#pool = primary
  }

  /** The same request with the same idempotency key finds the job that the first one created. */
  async insert(name: JobName, envelope: Envelope<InputOf<JobName>>, ability: Ability): Promise<AcceptedJob> {
    const { attempt, actor, input, idempotency } = envelope
    const key = [idempotency?.scope ?? null, idempotency?.key ?? null, idempotency?.fingerprint ?? null]
    const { rowCount } = await this.#pool.query({
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
        ...key,
      ],
    })
    if (rowCount === 1) return { id: attempt, replayed: false }
    const { rows } = await this.#pool.query<{ id: string; fingerprint: string }>({
      name: 'find-accepted-job',
      text: `SELECT id, idempotency_fingerprint AS fingerprint FROM jobs WHERE idempotency_scope = $1 AND idempotency_key = $2`,
      values: key.slice(0, 2),
    })
    const { id, fingerprint } = onlyRow(rows)
    if (fingerprint === idempotency?.fingerprint) return { id, replayed: true }
    throw keyReused()
  }
}

function ownerOf({ type, id, name }: Actor) {
  return [type === 'token' ? id : null, type === 'admin' ? id : null, name]
}
