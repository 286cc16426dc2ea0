// Counts the statements of Postgres, the buffers they touched and the WAL they wrote. Counts only statements on
// connections that were made after the counter was opened.
import type { Knex } from 'knex'
import { connectDatabase, getOnlyRow } from '../../shared/database/database.ts'
import { hasStatementStatistics } from './servers.ts'

type StatementCounts = { statements: number; buffers: number; walBytes: number }

export type StatementCounter = {
  reset(): Promise<void>
  read(): Promise<StatementCounts>
  stop(): Promise<void>
}

const UNKNOWN_COUNTS = { statements: Number.NaN, buffers: Number.NaN, walBytes: Number.NaN }

export async function openStatementCounter(databaseUrl: string): Promise<StatementCounter> {
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  if (!(await hasStatementStatistics(database))) {
    return { reset: async () => undefined, read: async () => UNKNOWN_COUNTS, stop: () => database.destroy() }
  }
  const name = new URL(databaseUrl).pathname.slice(1)
  await database.raw('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
  await database.raw(`ALTER DATABASE ?? SET pg_stat_statements.track = 'top'`, [name])
  return {
    async reset() {
      await database.raw('SELECT pg_stat_statements_reset()')
    },
    read: () => readCounts(database),
    async stop() {
      await database.raw(`ALTER DATABASE ?? SET pg_stat_statements.track = 'none'`, [name])
      await database.destroy()
    },
  }
}

async function readCounts(database: Knex): Promise<StatementCounts> {
  const { rows } = await database.raw<{ rows: StatementCounts[] }>(
    `SELECT coalesce(sum(calls), 0)::float AS statements,
       coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float AS buffers,
       coalesce(sum(wal_bytes), 0)::float AS "walBytes"
     FROM pg_stat_statements
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND query NOT LIKE '%pg_stat_statements%'`,
  )
  return getOnlyRow(rows)
}
