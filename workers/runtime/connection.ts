// Gives access to the connection of a transaction. COPY and cursors need this, because knex does not support them, and
// so do prepared statements, several of which may be sent before Postgres responds to the first.
import type { Writable } from 'node:stream'
import type { Knex } from 'knex'
import type pg from 'pg'

export type Connection = pg.Client

export function getConnection(trx: Knex.Transaction): Promise<pg.Client> {
  return trx.client.acquireConnection()
}

/** Sends two statements. If the connection can pipeline, sends the second one before Postgres responds to the first. */
export async function sendPipelined<First, Second>(
  connection: Connection,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  if (connection.pipeline) return Promise.all([first(), second()])
  return [await first(), await second()]
}

// Sends all statements of one tick in one packet. The pg driver itself does not buffer: it writes each
// message to this socket immediately. The types of pg do not declare the socket.
function sendStatementsTogether(connection: Connection) {
  const { stream } = (connection as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** How a handler ends its transaction. */
export type TransactionEnding = {
  /** Sends the last statements of the transaction together with its COMMIT. */
  last(send: () => Promise<unknown>): void
  /** Ends the transaction with ROLLBACK, because there is nothing to commit. This does not count as a fault. */
  rollBack(): void
}

/** Runs a transaction that sends its first statements together with BEGIN, and its last ones together with COMMIT. */
export async function runPipelinedTransaction<Result>(
  database: Knex,
  work: (connection: Connection, ending: TransactionEnding) => Promise<Result>,
): Promise<Result> {
  const connection: pg.Client = await database.client.acquireConnection()
  const lastStatements: Promise<unknown>[] = []
  let end = 'COMMIT'
  const ending: TransactionEnding = {
    last(send) {
      sendStatementsTogether(connection)
      const statement = send()
      // The code below awaits this promise, unless the work fails first.
      statement.catch(() => undefined)
      lastStatements.push(statement)
    },
    rollBack() {
      end = 'ROLLBACK'
    },
  }
  sendStatementsTogether(connection)
  const begun = connection.query('BEGIN')
  try {
    const [result] = await Promise.all([work(connection, ending), begun])
    const [{ command }] = await Promise.all([connection.query(end), ...lastStatements])
    // Postgres responds to COMMIT with ROLLBACK if a statement has failed.
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
