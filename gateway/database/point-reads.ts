// Reads of one row by an index. A connection lent by the pool for each costs the process more than all else that it does
// for such a read, so they share a few, as pipelines. Behind a statement that waits for a lock stand those of the same
// moment at most: all that come later go elsewhere, to the pool in the end.
import type pg from 'pg'
import { Pipeline, type PreparedQuery } from './pipeline.ts'

// With one connection everybody waits whenever its Postgres process does, for a processor say.
export const PIPELINES = 4

export class PointReads {
  readonly #pool: pg.Pool
  readonly #pipelinePool: pg.Pool
  readonly #pipelines: Pipeline[]
  #latest: Pipeline | undefined

  /** `pipelinePool` has PIPELINES connections in pipeline mode; they are opened when they are needed. */
  constructor(pool: pg.Pool, pipelinePool: pg.Pool) {
    this.#pool = pool
    this.#pipelinePool = pipelinePool
    this.#pipelines = Array.from({ length: PIPELINES }, () => new Pipeline(pipelinePool))
  }

  query<Row extends pg.QueryResultRow>(query: PreparedQuery): Promise<pg.QueryResult<Row>> {
    if (!this.#latest?.takesMore) this.#latest = this.#choose()
    return this.#latest?.query<Row>(query) ?? this.#pool.query<Row>(query)
  }

  async close() {
    for (const each of this.#pipelines) each.close()
    await this.#pipelinePool.end()
  }

  // The first with nothing under way, else the one with least. Another connection is made when all of those are at work.
  #choose(): Pipeline | undefined {
    let least: Pipeline | undefined
    for (const pipeline of this.#pipelines) {
      if (!pipeline.isConnected) {
        pipeline.connect()
        break
      }
      if (!least || pipeline.underWay < least.underWay) least = pipeline
      if (least.underWay === 0) break
    }
    return least
  }
}
