// The connection that a transaction runs on: for COPY and cursors, conversations that knex has no words for, and for
// statements that are prepared by name, several of which may be sent before the first one is answered.
import type { Knex } from 'knex'
import type pg from 'pg'

export type Connection = pg.Client

export function rawConnection(trx: Knex.Transaction): Promise<pg.Client> {
  return trx.client.acquireConnection()
}

/** Sends a statement before the one in front of it is answered, where the connection can. */
export async function atOnce<First, Second>(
  connection: Connection,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  if (connection.pipeline) return Promise.all([first(), second()])
  return [await first(), await second()]
}

/** A transaction whose first statements travel with its BEGIN, and its last ones with its COMMIT: `work` leaves these unawaited. */
export async function pipelinedTransaction<Result>(
  database: Knex,
  work: (connection: Connection, last: (statement: Promise<unknown>) => void) => Promise<Result>,
): Promise<Result> {
  const connection: pg.Client = await database.client.acquireConnection()
  const lastStatements: Promise<unknown>[] = []
  const last = (statement: Promise<unknown>) => {
    // It is waited for below, where the work has not failed before.
    statement.catch(() => undefined)
    lastStatements.push(statement)
  }
  const begun = connection.query('BEGIN')
  try {
    const [result] = await Promise.all([work(connection, last), begun])
    const [{ command }] = await Promise.all([connection.query('COMMIT'), ...lastStatements])
    // Postgres says so where a statement has failed.
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back')
    return result
  } catch (error) {
    await Promise.allSettled([begun, ...lastStatements])
    await connection.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    database.client.releaseConnection(connection)
  }
}
