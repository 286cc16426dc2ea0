// The statement of a read: prepared once per connection under its name, and finished by Postgres as the
// answer's text.
import type { Database } from '../data/building-limits.ts'

export type Statement = { name: string; text: string }

export type { Database } from '../data/building-limits.ts'

/** The text of the only row; undefined if there is none. */
export async function findText(
  database: Database,
  { name, text }: Statement,
  values: unknown[],
): Promise<string | undefined> {
  const { rows } = await database.query<{ body: string }>({ name, text, values })
  return rows[0]?.body
}
