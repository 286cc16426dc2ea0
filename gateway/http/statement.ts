// A read's statement: prepared once a connection under its name, and finished by Postgres as the answer's text.
import type pg from 'pg'

export type Statement = { name: string; text: string }

/** The text of the only row, or undefined where there is none. */
export async function findText(
  pool: pg.Pool,
  statement: Statement,
  values: unknown[],
): Promise<string | undefined> {
  const { rows } = await pool.query<{ body: string }>({ ...statement, values })
  return rows[0]?.body
}
