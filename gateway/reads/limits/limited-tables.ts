// Limits the tables of a statement to some of their rows, with common table expressions of the same names. A common table
// expression hides a table only where the statement names it without a schema: a statement that reads `public.bookings`
// would return the rows of everybody. Never qualify a table that buildings or people limit.

// Read once for all tables that use them.
const MATERIALIZED = ['own_events', 'hidden_people']

/** The rows (SQL) of each table by its name. Each table may use those before it. */
export type Tables = Record<string, string>

/**
 * The tables that a statement names, and those that they name in turn. A statement with all of them takes Postgres longer to
 * plan than to run, and its plan takes the memory of each connection.
 */
function findUsed(text: string, tables: Tables): Array<[table: string, rows: string]> {
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

/** Adds tables (SQL) to a statement, before its own common table expressions if it has any. */
export function withTables(tables: string, text: string): string {
  const own = /^\s*WITH\s+/i.exec(text)
  return own ? `WITH ${tables}, ${text.slice(own[0].length)}` : `WITH ${tables} ${text}`
}

/** Replaces tables of the statement by those of the same names in `tables`. `user` is the SQL of the person who may see their rows. */
export function limitTo(text: string, user: string, tables: Tables): string {
  const used = findUsed(text, tables).map(([table, rows]) => {
    const isMaterialized = MATERIALIZED.includes(table)
    return `${table} AS ${isMaterialized ? '' : 'NOT '}MATERIALIZED (${rows})`
  })
  // `viewer` makes every statement use the parameter.
  return withTables([`viewer AS (SELECT ${user} AS id)`, ...used].join(', '), text)
}
