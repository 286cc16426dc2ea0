// Puts parts of tables in the place of the tables of a statement, as common table expressions of the same names.

// Read once for all tables that use them.
const MATERIALIZED = ['own_events', 'hidden_people']

/** Name and rows (SQL) of each table, in an order in which each may use those before it. */
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

/** The statement with tables (SQL) in front of its own, if it has any. */
export function withTables(tables: string, text: string): string {
  const own = /^\s*WITH\s+/i.exec(text)
  return own ? `WITH ${tables}, ${text.slice(own[0].length)}` : `WITH ${tables} ${text}`
}

/** The statement with `tables` in the place of those of the same names. `user` is the SQL of the person whose tables they are. */
export function limitTo(text: string, user: string, tables: Tables): string {
  const used = findUsed(text, tables).map(([table, rows]) => {
    const isMaterialized = MATERIALIZED.includes(table)
    return `${table} AS ${isMaterialized ? '' : 'NOT '}MATERIALIZED (${rows})`
  })
  // The first one is there so that every statement has the parameter.
  return withTables([`viewer AS (SELECT ${user} AS id)`, ...used].join(', '), text)
}
