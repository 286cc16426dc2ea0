// Identifies the database. The answer of a worker on another database would only be true there, so every job
// names its database, and a worker only runs jobs of its own.

export type Identity = {
  /** Created by a migration. */
  id: string
  /** Distinguishes a copy from its original, which has the same id; empty if this role may not query it. */
  place: string
}

export type Ask = (sql: string) => Promise<Array<Record<string, unknown>>>

const ID_SQL = 'SELECT id FROM identity'
const PLACE_SQL = `
  SELECT to_hex(system_identifier) || '.' || oid AS place
  FROM pg_control_system(), pg_database WHERE datname = current_database()`

const MAY_NOT_ASK = new Set(['42501', '42883'])

export async function readIdentity(ask: Ask): Promise<Identity> {
  const [row] = await ask(ID_SQL)
  if (!row) throw new Error('The database has no identity: its table “identity” is empty')
  return { id: String(row['id']), place: await readPlace(ask) }
}

async function readPlace(ask: Ask): Promise<string> {
  try {
    const [row] = await ask(PLACE_SQL)
    return String(row?.['place'] ?? '')
  } catch (error) {
    if (MAY_NOT_ASK.has(String((error as { code?: unknown }).code))) return ''
    throw error
  }
}

/** The Postgres cluster that a place is in; empty if this role may not query it. */
export const clusterOf = ({ place }: Identity): string => place.split('.')[0] ?? ''

/** The form in which it travels with a job. */
export function formatIdentity({ id, place }: Identity): string {
  return place ? `${id}@${place}` : id
}

export function isSameDatabase(one: string, other: string): boolean {
  if (one === other) return true
  const [id, place] = one.split('@')
  const [otherId, otherPlace] = other.split('@')
  return id === otherId && (!place || !otherPlace)
}
