// For a pooler that lends another connection of Postgres to each transaction, and knows nothing of what was prepared on the
// one before: statements are sent without their names, so that Postgres parses and plans each anew.
import type pg from 'pg'

export function sendUnnamed(connection: pg.Client) {
  connection.query = new Proxy(connection.query, {
    apply(query, client: pg.Client, [statement, ...others]: unknown[]) {
      return Reflect.apply(query, client, [withoutName(statement), ...others])
    },
  })
}

// What submits itself, a cursor or a COPY, has no name.
function withoutName(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null || 'submit' in statement) return statement
  const { name: _, ...unnamed } = statement as { name?: string }
  return unnamed
}
