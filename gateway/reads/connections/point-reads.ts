// Reads of one row by an index. Taking a connection from the pool costs the process more than the rest of
// such a read, so they share a few connections as pipelines. Only reads of the same moment queue behind a
// statement that waits for a lock; later ones use another pipeline, and in the end the pool.
import type { Duplex } from 'node:stream'
import type pg from 'pg'

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

/** A named statement is prepared once per connection. */
export type PreparedQuery = { name: string; text: string; values: unknown[] }

// Statements of one turn of the event loop leave in one piece, up to this many: Postgres starts while this
// process still reads the next requests.
const TOGETHER_MAX = 8
// With more than this under way, statements would wait for the pipeline itself.
const UNDER_WAY_MAX = 64
// Without a result for this long, the statement at the head is waiting for something.
const STUCK_MS = 50

/**
 * The driver copies the own properties of what it is given, which takes longer than the rest of sending it. So
 * `config` inherits its name and text.
 */
type Statement = { name: string; config: object; isPrepared: boolean }

class Pipeline {
  readonly #pool: pg.Pool
  #client: pg.PoolClient | undefined
  #isConnecting = false
  #isClosed = false
  /** The statements of this connection, also those that are still being prepared. */
  readonly #statements = new Map<string, Statement>()
  underWay = 0
  #lastResultMs = 0
  #together = 0

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  get isConnected(): boolean {
    return this.#client !== undefined
  }

  /** The last statement has not left yet, and there is room for another in the same piece. */
  get takesMore(): boolean {
    return this.#together > 0
  }

  /** Undefined if the statement would have to wait for others, or there is no connection. */
  query<Row extends pg.QueryResultRow>(query: PreparedQuery): Promise<pg.QueryResult<Row>> | undefined {
    const client = this.#client
    if (!client || this.#isStuck()) return undefined
    const known = this.#statements.get(query.name)
    // If preparing fails in the end (its table is locked), all statements that count on it would fail too.
    if (known?.isPrepared === false) return undefined
    return this.#send<Row>(client, known ?? this.#add(query), query.values)
  }

  #add({ name, text }: PreparedQuery): Statement {
    const statement = { name, config: Object.create({ name, text }), isPrepared: false }
    this.#statements.set(name, statement)
    return statement
  }

  async connect(): Promise<void> {
    if (this.#client || this.#isConnecting || this.#isClosed) return
    this.#isConnecting = true
    try {
      const client = await this.#pool.connect()
      client.once('error', () => this.#leave(client))
      client.once('end', () => this.#leave(client))
      this.#statements.clear()
      this.underWay = 0
      this.#client = client
      if (this.#isClosed) this.#leave(client)
    } catch {
      // Callers use other connections, and get the error there.
    } finally {
      this.#isConnecting = false
    }
  }

  close() {
    this.#isClosed = true
    if (this.#client) this.#leave(this.#client)
  }

  #send<Row extends pg.QueryResultRow>(
    client: pg.PoolClient,
    statement: Statement,
    values: unknown[],
  ): Promise<pg.QueryResult<Row>> {
    if (this.underWay === 0) this.#lastResultMs = Date.now()
    this.underWay++
    return new Promise((resolve, reject) => {
      this.#sendTogether<Row>(client, statement, values, (error, result) => {
        if (client === this.#client) this.#noteResult(statement, !error)
        if (error) reject(error)
        else resolve(result)
      })
    })
  }

  #noteResult(statement: Statement, succeeded: boolean) {
    this.underWay--
    this.#lastResultMs = Date.now()
    if (succeeded) statement.isPrepared = true
    else if (!statement.isPrepared) this.#statements.delete(statement.name)
  }

  // Corking relies on two properties of pg: it writes each message to `client.connection.stream` at once, without a buffer of
  // its own, and it answers statements in the order in which they were sent. `uncork` then sends all of them in one packet.
  // A cork that is never undone would hang every read on this connection, so the first statement of each packet schedules #flush.
  #sendTogether<Row extends pg.QueryResultRow>(
    client: pg.PoolClient,
    { config }: Statement,
    values: unknown[],
    done: (error: Error | undefined, result: pg.QueryResult<Row>) => void,
  ) {
    const { stream } = client.connection
    if (this.#together === 0) {
      stream.cork()
      setImmediate(() => this.#flush(stream))
    }
    this.#together++
    // The types allow separate values only beside a text.
    client.query<Row>(config as unknown as string, values, done)
    if (this.#together === TOGETHER_MAX) this.#flush(stream)
  }

  #flush(stream: Duplex) {
    if (this.#together === 0) return
    this.#together = 0
    stream.uncork()
  }

  #isStuck(): boolean {
    if (this.underWay === 0) return false
    return this.underWay >= UNDER_WAY_MAX || Date.now() - this.#lastResultMs > STUCK_MS
  }

  #leave(client: pg.PoolClient) {
    if (client !== this.#client) return
    this.#client = undefined
    client.release(true)
  }
}
