// Counts the processes that read an import file. One that began and never ended died from the file, or was
// killed meanwhile. A file that kills its readers must not be read forever, but a harmless file may be taken
// over as often as machines and Redis fail.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'

const DEAD_READERS_MAX = 1
const PROCESS_ID = randomUUID()

/** Writes outside the transaction, which would be lost with the process. */
export async function beginReading(database: Knex, fileId: string): Promise<void> {
  const { rows } = await database.raw(
    `UPDATE files SET readers = array_append(array_remove(readers, :reader::uuid), :reader::uuid)
     WHERE id = :fileId RETURNING cardinality(readers) - 1 AS others`,
    { reader: PROCESS_ID, fileId },
  )
  const others: number = rows[0]?.others ?? 0
  if (others > DEAD_READERS_MAX) throw new Error('Its workers stopped responding')
}

/** Reading ended, even if it failed: the process survived. If Postgres is unavailable, it counts as dead. */
export async function endReading(database: Knex, fileId: string): Promise<void> {
  await database
    .raw('UPDATE files SET readers = array_remove(readers, ?::uuid) WHERE id = ?', [PROCESS_ID, fileId])
    .catch(() => undefined)
}
