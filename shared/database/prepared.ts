// Prepared statements, which Postgres plans once for each connection. Use them only on connections whose settings force
// generic plans.
import type { Knex } from 'knex'

// The limit on the prepared statements of a process. Each connection keeps a plan of each statement that it has run.
// Postgres plans further statements every time. No process of the service comes near the limit.
const PREPARED_STATEMENTS_MAX = 1_000
const statementNames = new Map<string, string>()

/** Runs a prepared statement. Its SQL text must not depend on the values. */
export function runPreparedStatement<Result>(database: Knex, sql: string, values: unknown) {
  const raw = database.raw<Result>(sql, values as Knex.RawBinding[])
  const isWrites = database.client.config.connection?.pipeline === true
  const name = isWrites ? getStatementName(sql) : undefined
  return name === undefined ? raw : raw.options({ name })
}

/** Returns a unique name for this SQL text, or undefined if there are too many statements. */
export function getStatementName(sql: string): string | undefined {
  if (!statementNames.has(sql) && statementNames.size < PREPARED_STATEMENTS_MAX)
    statementNames.set(sql, `statement-${statementNames.size}`)
  return statementNames.get(sql)
}
