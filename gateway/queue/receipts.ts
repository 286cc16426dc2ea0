// The gateway's access to receipts, which record the outcome of every attempt. The gateway writes a receipt only to
// cancel an attempt.
import type pg from 'pg'
import { isLockTimeout } from '../../shared/database/faults.ts'
import type { Outcome } from '../../shared/jobs/jobs.ts'
import { BatchLoader } from '../../shared/utilities/shared-look-ups.ts'

// How long to wait for a lock. This is longer than a write's transaction can last, because the transaction's own
// timeouts end it first, and longer than the pool's timeout.
const LOCK_TIMEOUT_MS = 5_000
const TRY_LOCK_TIMEOUT_MS = 100
const timeoutsSql = (lockTimeoutMs: number) =>
  `SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL statement_timeout = ${LOCK_TIMEOUT_MS + 500}`

export class Receipts {
  readonly #pool: pg.Pool
  /**
   * Loads the receipts of several attempts together, because the attempts of a batch are looked up at the same moment,
   * when load is high.
   */
  readonly #looks: BatchLoader<Outcome<unknown>>

  constructor(primary: pg.Pool) {
    this.#pool = primary
    this.#looks = new BatchLoader((attempts) => findOutcomes(primary, attempts))
  }

  /** Finds the outcome of an attempt. `Reply` is the reply type of the attempt's job. */
  async find<Reply>(attempt: string): Promise<Outcome<Reply> | undefined> {
    return (await this.#looks.ask(attempt)) as Outcome<Reply> | undefined
  }

  /** Marks the attempt, so that no worker can commit it. Returns the outcome if a worker has already committed it. */
  async abandon<Reply>(attempt: string): Promise<Outcome<Reply> | undefined> {
    return this.#insertMark(attempt, LOCK_TIMEOUT_MS, async (client, isMarked) => {
      const outcomes = isMarked ? undefined : await findOutcomes(client, [attempt])
      return outcomes?.get(attempt) as Outcome<Reply> | undefined
    })
  }

  /** Marks the attempt unless a worker is running it or has committed it. Returns false if the attempt was
   * not marked. */
  async tryAbandon(attempt: string): Promise<boolean> {
    try {
      return await this.#insertMark(attempt, TRY_LOCK_TIMEOUT_MS, async (_client, isMarked) => isMarked)
    } catch (error) {
      if (isLockTimeout(error)) return false
      throw error
    }
  }

  async #insertMark<Result>(
    attempt: string,
    lockTimeoutMs: number,
    resultOf: (client: pg.PoolClient, isMarked: boolean) => Promise<Result>,
  ): Promise<Result> {
    const client = await this.#pool.connect()
    try {
      await client.query(`BEGIN; ${timeoutsSql(lockTimeoutMs)}`)
      // Waits for a worker that has inserted the receipt but has not committed yet.
      const { rowCount } = await client.query({
        name: 'abandon-receipt',
        text: 'INSERT INTO receipts (attempt, abandoned_at) VALUES ($1, now()) ON CONFLICT DO NOTHING',
        values: [attempt],
        query_timeout: LOCK_TIMEOUT_MS + 1_000,
      } as pg.QueryConfig)
      await client.query('COMMIT')
      const result = await resultOf(client, rowCount === 1)
      client.release()
      return result
    } catch (error) {
      client.release(true)
      throw error
    }
  }
}

async function findOutcomes(
  pool: Pick<pg.PoolClient, 'query'>,
  attempts: string[],
): Promise<Map<string, Outcome<unknown>>> {
  const { rows } = await pool.query<{ attempt: string; outcome: Outcome<unknown> }>({
    name: 'find-outcomes',
    text: 'SELECT attempt, outcome FROM receipts WHERE attempt = ANY ($1::uuid[]) AND outcome IS NOT NULL',
    values: [attempts],
  })
  return new Map(rows.map(({ attempt, outcome }) => [attempt, outcome]))
}
