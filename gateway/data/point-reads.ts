// Reads of one row by an index. Taking a connection from the pool costs the process more than the rest of
// such a read, so they share a few connections as pipelines. Only reads of the same moment queue behind a
// statement that waits for a lock; later ones use another pipeline, and in the end the pool.
import type pg from 'pg'
import { Pipeline, type PreparedQuery } from './pipeline.ts'

// With a single connection, every read would wait whenever its Postgres process does, for a processor for
// example.
export const PIPELINES = 4

export class PointReads {
  readonly #pool: pg.Pool
  readonly #pipelinePool: pg.Pool
  readonly #pipelines: Pipeline[]
  #latest: Pipeline | undefined

  /** `pipelinePool` has PIPELINES connections in pipeline mode, which are opened on demand. */
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

  // Chooses the first pipeline with nothing under way, else the one with the least. Connects another one if
  // all are busy.
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
