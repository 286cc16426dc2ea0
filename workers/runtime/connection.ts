// The connection that a transaction runs on. For COPY and cursors, which knex does not support, and for
// prepared statements, several of which may be sent before the first one is answered.
import type { Writable } from 'node:stream'
import type { Knex } from 'knex'
import type pg from 'pg'

export type Connection = pg.Client

export function rawConnection(trx: Knex.Transaction): Promise<pg.Client> {
  return trx.client.acquireConnection()
}

/** Sends the second statement before the first one is answered, if the connection can pipeline. */
export async function pipelined<First, Second>(
  connection: Connection,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  if (connection.pipeline) return Promise.all([first(), second()])
  return [await first(), await second()]
}

// Statements that are sent in the same tick travel in one packet: pg writes each message to this socket at once and has no
// buffer of its own. The types of pg do not have the socket.
function sendTogether(connection: Connection) {
  const { stream } = (connection as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** The ways to end a transaction. */
export type Ending = {
  /** Sends the last statements of the transaction with its COMMIT. */
  last(send: () => Promise<unknown>): void
  /** Ends the transaction with ROLLBACK because there is nothing to keep. This is not a fault. */
  rollBack(): void
}

/** A transaction whose first statements travel with its BEGIN, and its last ones with its COMMIT. */
export async function pipelinedTransaction<Result>(
  database: Knex,
  work: (connection: Connection, ending: Ending) => Promise<Result>,
): Promise<Result> {
  const connection: pg.Client = await database.client.acquireConnection()
  const lastStatements: Promise<unknown>[] = []
  let end = 'COMMIT'
  const ending: Ending = {
    last(send) {
      sendTogether(connection)
      const statement = send()
      // Awaited below unless the work fails first.
      statement.catch(() => undefined)
      lastStatements.push(statement)
    },
    rollBack() {
      end = 'ROLLBACK'
    },
  }
  sendTogether(connection)
  const begun = connection.query('BEGIN')
  try {
    const [result] = await Promise.all([work(connection, ending), begun])
    const [{ command }] = await Promise.all([connection.query(end), ...lastStatements])
    // Postgres answers COMMIT with ROLLBACK if a statement has failed.
    if (command !== end) throw new Error('The transaction was rolled back')
    return result
  } catch (error) {
    await Promise.allSettled([begun, ...lastStatements])
    await connection.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    database.client.releaseConnection(connection)
  }
}
