// Reads one row by an index. Taking a connection from the pool costs more of the process's time than the rest of such a
// read, so these reads share a few connections as pipelines. If a statement waits for a lock, only reads of the same
// moment wait behind it; later reads use another pipeline or, if all are busy, the pool.
import type { Duplex } from 'node:stream'
import type pg from 'pg'

// The number of pipelines. With a single pipeline, every read would wait whenever the Postgres process of its
// connection waits, for example for a processor.
export const PIPELINE_CONNECTIONS = 4

export class PointReads {
  readonly #pool: pg.Pool
  readonly #pipelinePool: pg.Pool
  readonly #pipelines: Pipeline[]
  #latest: Pipeline | undefined

  /** `pipelinePool` has PIPELINES connections in pipeline mode, which are opened on demand. */
  constructor(pool: pg.Pool, pipelinePool: pg.Pool) {
    this.#pool = pool
    this.#pipelinePool = pipelinePool
    this.#pipelines = Array.from({ length: PIPELINE_CONNECTIONS }, () => new Pipeline(pipelinePool))
  }

  query<Row extends pg.QueryResultRow>(query: PreparedQuery): Promise<pg.QueryResult<Row>> {
    if (!this.#latest?.takesMore) this.#latest = this.#choose()
    return this.#latest?.query<Row>(query) ?? this.#pool.query<Row>(query)
  }

  async close() {
    for (const each of this.#pipelines) each.close()
    await this.#pipelinePool.end()
  }

  // Chooses a pipeline on which no statement runs, or else the pipeline with the fewest. If all are busy,
  // also connects another one.
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

/** A named statement, which is prepared once per connection. */
export type PreparedQuery = { name: string; text: string; values: unknown[] }

// The maximum number of statements of one turn of the event loop that are sent together. It is limited so
// that Postgres can start while this process still reads the next requests.
const STATEMENTS_PER_PACKET_MAX = 8
// The maximum number of statements that run on a pipeline. If more ran at once, new statements would wait for
// the pipeline itself.
const RUNNING_STATEMENTS_MAX = 64
// If no result arrives for this long, the first statement of the pipeline is waiting for something.
const STUCK_AFTER_MS = 50

/** `config` inherits its name and text, because the driver copies the object's own properties, which takes
 * longer than the rest of sending a statement. */
type PipelineStatement = { name: string; config: object; isPrepared: boolean }

class Pipeline {
  readonly #pool: pg.Pool
  #client: pg.PoolClient | undefined
  #isConnecting = false
  #isClosed = false
  /** The prepared statements of this connection, including those that are still being prepared. */
  readonly #statements = new Map<string, PipelineStatement>()
  underWay = 0
  #lastResultMs = 0
  #together = 0

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  get isConnected(): boolean {
    return this.#client !== undefined
  }

  /** Whether the last statement has not been sent yet, so that another one can be sent together with it. */
  get takesMore(): boolean {
    return this.#together > 0
  }

  /** Runs a statement. Returns undefined if it would have to wait for others, or there is no connection. */
  query<Row extends pg.QueryResultRow>(query: PreparedQuery): Promise<pg.QueryResult<Row>> | undefined {
    const client = this.#client
    if (!client || this.#isStuck()) return undefined
    const known = this.#statements.get(query.name)
    // Does not use a statement that is still being prepared: if preparing it fails, for example because its table is
    // locked, all reads that rely on it would fail too.
    if (known?.isPrepared === false) return undefined
    return this.#send<Row>(client, known ?? this.#add(query), query.values)
  }

  #add({ name, text }: PreparedQuery): PipelineStatement {
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
      // Ignores errors: callers use other connections, where they get the error.
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
    statement: PipelineStatement,
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

  #noteResult(statement: PipelineStatement, succeeded: boolean) {
    this.underWay--
    this.#lastResultMs = Date.now()
    if (succeeded) statement.isPrepared = true
    else if (!statement.isPrepared) this.#statements.delete(statement.name)
  }

  // Sends several statements in one packet, by corking the socket. This relies on two properties of pg: it
  // writes each message to `client.connection.stream` at once, without a buffer of its own, and it answers
  // statements in the order in which they were sent. If the socket stayed corked, every read on this
  // connection would hang, so the first statement of each packet schedules #flush.
  #sendTogether<Row extends pg.QueryResultRow>(
    client: pg.PoolClient,
    { config }: PipelineStatement,
    values: unknown[],
    done: (error: Error | undefined, result: pg.QueryResult<Row>) => void,
  ) {
    const { stream } = client.connection
    if (this.#together === 0) {
      stream.cork()
      setImmediate(() => this.#flush(stream))
    }
    this.#together++
    // The cast is needed because pg's types allow separate values only beside a text.
    client.query<Row>(config as unknown as string, values, done)
    if (this.#together === STATEMENTS_PER_PACKET_MAX) this.#flush(stream)
  }

  #flush(stream: Duplex) {
    if (this.#together === 0) return
    this.#together = 0
    stream.uncork()
  }

  #isStuck(): boolean {
    if (this.underWay === 0) return false
    return this.underWay >= RUNNING_STATEMENTS_MAX || Date.now() - this.#lastResultMs > STUCK_AFTER_MS
  }

  #leave(client: pg.PoolClient) {
    if (client !== this.#client) return
    this.#client = undefined
    client.release(true)
  }
}
