// Who reads an import file: a process that began and never ended died over it, or was killed meanwhile. A file that kills
// its readers must not circle, while an honest one may be taken over as often as machines and Redis fail.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'

const DEAD_READERS_MAX = 1
const PROCESS_ID = randomUUID()

/** Notes it beside the transaction, which ends with the process. */
export async function beginReading(database: Knex, fileId: string): Promise<void> {
  const { rows } = await database.raw(
    `UPDATE files SET readers = array_append(array_remove(readers, :reader::uuid), :reader::uuid)
     WHERE id = :fileId RETURNING cardinality(readers) - 1 AS others`,
    { reader: PROCESS_ID, fileId },
  )
  const others: number = rows[0]?.others ?? 0
  if (others > DEAD_READERS_MAX) throw new Error('Its workers stopped responding')
}

/** However it ended: the file did this process no harm. Where Postgres is away, it counts as one that died. */
export async function endReading(database: Knex, fileId: string): Promise<void> {
  await database
    .raw('UPDATE files SET readers = array_remove(readers, ?::uuid) WHERE id = ?', [PROCESS_ID, fileId])
    .catch(() => undefined)
}
