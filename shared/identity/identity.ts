// Identifies the database. Every job names its database, and a worker only runs jobs of its own database: on another
// one, the results would be wrong.

export type Identity = {
  /** The id of the database, which a migration created. */
  id: string
  /**
   * Distinguishes a copy of the database from its original, which has the same id. Empty if this database role may not
   * query the place.
   */
  place: string
}

export type RunQuery = (sql: string) => Promise<Array<Record<string, unknown>>>

const DATABASE_ID_SQL = 'SELECT id FROM identity'
const DATABASE_PLACE_SQL = `
  SELECT to_hex(system_identifier) || '.' || oid AS place
  FROM pg_control_system(), pg_database WHERE datname = current_database()`

const NOT_PERMITTED_CODES = new Set(['42501', '42883'])

export async function readIdentity(ask: RunQuery): Promise<Identity> {
  const [row] = await ask(DATABASE_ID_SQL)
  if (!row) throw new Error('The database has no identity: its table “identity” is empty')
  return { id: String(row['id']), place: await readDatabasePlace(ask) }
}

async function readDatabasePlace(ask: RunQuery): Promise<string> {
  try {
    const [row] = await ask(DATABASE_PLACE_SQL)
    return String(row?.['place'] ?? '')
  } catch (error) {
    if (NOT_PERMITTED_CODES.has(String((error as { code?: unknown }).code))) return ''
    throw error
  }
}

/** Returns the Postgres cluster that is part of a database's place. Empty if this database role may not query it. */
export const getCluster = ({ place }: Identity): string => place.split('.')[0] ?? ''

/** Formats the identity of the database as jobs contain it. */
export function formatIdentity({ id, place }: Identity): string {
  return place ? `${id}@${place}` : id
}

export function isSameDatabase(one: string, other: string): boolean {
  if (one === other) return true
  const [id, place] = one.split('@')
  const [otherId, otherPlace] = other.split('@')
  return id === otherId && (!place || !otherPlace)
}
