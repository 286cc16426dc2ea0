// Supports a pooler that gives each transaction another Postgres connection, and does not know what was
// prepared on the one before: statements are sent without their names, so Postgres parses and plans each of
// them again.
import type pg from 'pg'

export function sendUnnamed(connection: pg.Client) {
  connection.query = new Proxy(connection.query, {
    apply(query, client: pg.Client, [statement, ...others]: unknown[]) {
      return Reflect.apply(query, client, [withoutName(statement), ...others])
    },
  })
}

// A query that submits itself, a cursor or a COPY, has no name.
function withoutName(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null || 'submit' in statement) return statement
  const { name: _, ...unnamed } = statement as { name?: string }
  return unnamed
}
