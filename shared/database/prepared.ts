// Statements that Postgres plans once for each connection. For connections on which every plan is a generic one.
import type { Knex } from 'knex'

// Each has a plan in the memory of each connection. A text beyond these is planned each time.
const STATEMENTS_MAX = 300
const names = new Map<string, string>()

/** The text must be the same for all values. */
export function rawPrepared<Result>(database: Knex, sql: string, values: unknown) {
  const raw = database.raw<Result>(sql, values as Knex.RawBinding[])
  const isWrites = database.client.config.connection?.pipeline === true
  const name = isWrites ? nameOf(sql) : undefined
  return name === undefined ? raw : raw.options({ name })
}

/** A unique name for this text; undefined if there are too many. */
export function nameOf(sql: string): string | undefined {
  if (!names.has(sql) && names.size < STATEMENTS_MAX) names.set(sql, `statement-${names.size}`)
  return names.get(sql)
}
