// Records when a token was last used and how often, in batches: one row update per request would cost more
// than most reads.
import type pg from 'pg'
import type { Log } from '../../shared/utilities/log.ts'

const WRITE_EVERY_MS = 10_000

export class TokenUse {
  readonly #pool: pg.Pool
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  #requests = new Map<number, number>()

  constructor(primary: pg.Pool, log: Log) {
    this.#pool = primary
    this.#log = log
    this.#timer = setInterval(() => this.write(), WRITE_EVERY_MS).unref()
  }

  record(tokenId: number) {
    this.#requests.set(tokenId, (this.#requests.get(tokenId) ?? 0) + 1)
  }

  async write() {
    const batch = this.#requests
    if (batch.size === 0) return
    this.#requests = new Map()
    try {
      await this.#pool.query({
        name: 'note-token-use',
        text: `
          UPDATE tokens
          SET requests = tokens.requests + used.requests,
              last_used_at = greatest(last_used_at, date_trunc('minute', now()))
          FROM unnest($1::bigint[], $2::bigint[]) AS used (id, requests)
          WHERE tokens.id = used.id`,
        values: [[...batch.keys()], [...batch.values()]],
      })
    } catch (error) {
      // Kept for the next batch: these figures may be late but should not be wrong.
      for (const [id, requests] of batch) this.#requests.set(id, (this.#requests.get(id) ?? 0) + requests)
      this.#log.warn({ err: error }, 'token use could not be written; retrying later')
    }
  }

  async close() {
    clearInterval(this.#timer)
    await this.write()
  }
}
