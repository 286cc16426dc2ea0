// Limits the tables of a statement to some of their rows, with common table expressions of the same names. A common
// table expression hides a table only where the statement names the table without a schema: a statement that reads
// `public.bookings` would return the rows of everybody. Never qualify the name of a table that is limited to buildings
// or people.

// Common table expressions that Postgres reads once for all tables that use them.
const MATERIALIZED_TABLES = ['own_events', 'hidden_people', 'known_people']

/** SQL for the rows of each table, by the table's name. Each table may use the tables before it. */
export type LimitedTables = Record<string, string>

/** Finds the tables that a statement names, and the tables that the SQL of these tables names in turn. If all
 * tables were added, Postgres would take longer to plan the statement than to run it, and the plan would take
 * memory in each connection. */
function findUsedTables(text: string, tables: LimitedTables): Array<[table: string, rows: string]> {
  let words = text.toLowerCase()
  const used = Object.entries(tables)
    .reverse()
    .filter(([table, rows]) => {
      const isUsed = words.includes(table)
      if (isUsed) words += rows.toLowerCase()
      return isUsed
    })
  return used.reverse()
}

/** Adds tables (SQL) to a statement, in front of the statement's own common table expressions. */
export function addTables(tables: string, text: string): string {
  const own = /^\s*WITH\s+/i.exec(text)
  return own ? `WITH ${tables}, ${text.slice(own[0].length)}` : `WITH ${tables} ${text}`
}

/** Replaces tables of the statement with the tables of the same names in `tables`. `user` is SQL for the
 * person who may see their rows. */
export function replaceLimitedTables(text: string, user: string, tables: LimitedTables): string {
  const used = findUsedTables(text, tables).map(([table, rows]) => {
    const isMaterialized = MATERIALIZED_TABLES.includes(table)
    return `${table} AS ${isMaterialized ? '' : 'NOT '}MATERIALIZED (${rows})`
  })
  // Names `viewer` so that every statement uses the parameter.
  return addTables([`viewer AS (SELECT ${user} AS id)`, ...used].join(', '), text)
}
