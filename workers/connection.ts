// The connection that a transaction runs on: COPY and cursors are conversations that knex has no words for.
import type pg from 'pg'
import type { Transaction } from './context.ts'

export function rawConnection(trx: Transaction): Promise<pg.Client> {
  return trx.client.acquireConnection()
}
