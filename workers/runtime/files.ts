// Reads and writes files in Postgres for workers, in chunks, so that gateway and workers need no shared disk.
import { Readable } from 'node:stream'
import type { Knex } from 'knex'

const CHUNK_BYTES = 512 * 1024

export function readFile(database: Knex, fileId: string): Readable {
  return Readable.from(chunksOf(database, fileId), { objectMode: false, highWaterMark: CHUNK_BYTES })
}

export async function isStored(database: Knex, fileId: string): Promise<boolean> {
  const { rows } = await database.raw('SELECT FROM files WHERE id = ? AND expires_at > now()', [fileId])
  return rows.length > 0
}

/** Reads the first bytes, which identify the file type. */
export async function readHead(database: Knex, fileId: string): Promise<Buffer> {
  const { rows } = await database.raw(
    'SELECT substring(data for 8) AS head FROM file_chunks WHERE file_id = ? AND number = 0',
    [fileId],
  )
  return rows[0]?.head ?? Buffer.alloc(0)
}

// The gateway deletes an upload if its caller disconnects, possibly while it is being read here. The part
// read so far must not be taken for the whole file.
async function* chunksOf(database: Knex, fileId: string): AsyncGenerator<Buffer> {
  const { rows: found } = await database.raw(
    'SELECT chunks FROM files WHERE id = ? AND completed_at IS NOT NULL',
    [fileId],
  )
  const chunks: number | undefined = found[0]?.chunks
  if (chunks === undefined) throw new Error('The file is gone')
  for (let number = 0; number < chunks; number++) {
    const { rows } = await database.raw('SELECT data FROM file_chunks WHERE file_id = ? AND number = ?', [
      fileId,
      number,
    ])
    const data: Buffer | undefined = rows[0]?.data
    if (!data) throw new Error('The file is gone')
    yield data
  }
}

type NewFile = { name: string; contentType: string; attempt: string; keptHours: number }

/** Writes the chunks as they come, each visible at once. `onStart` gets the id when the first is readable. */
export async function writeFile(
  database: Knex,
  { name, contentType, attempt, keptHours }: NewFile,
  source: AsyncIterable<Buffer | string>,
  onStart: (fileId: string) => void,
): Promise<string> {
  // Discards what a worker that died left of the same attempt.
  await database.raw('DELETE FROM files WHERE attempt = ?', [attempt])
  const { rows } = await database.raw(
    `INSERT INTO files (name, content_type, attempt, expires_at) VALUES (?, ?, ?, now() + ? * interval '1 hour') RETURNING id`,
    [name, contentType, attempt, keptHours],
  )
  const fileId: string = rows[0].id
  const write = async (number: number, data: Buffer) => {
    await database.raw('INSERT INTO file_chunks (file_id, number, data) VALUES (?, ?, ?)', [
      fileId,
      number,
      data,
    ])
    if (number === 0) onStart(fileId)
  }
  let number = 0
  let bytes = 0
  let writing = Promise.resolve()
  for await (const chunk of inChunks(source)) {
    await writing
    bytes += chunk.length
    // The next chunk is made while this one is stored.
    writing = write(number++, chunk)
    writing.catch(() => undefined)
  }
  await writing
  await database.raw('UPDATE files SET size_bytes = ?, chunks = ?, completed_at = now() WHERE id = ?', [
    bytes,
    number,
    fileId,
  ])
  return fileId
}

async function* inChunks(source: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of source) {
    const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece
    pieces.push(buffer)
    bytes += buffer.length
    if (bytes < CHUNK_BYTES) continue
    yield Buffer.concat(pieces)
    pieces = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(pieces)
}

export async function forgetFile(database: Knex, fileId: string): Promise<void> {
  await database.raw('DELETE FROM files WHERE id = ?', [fileId])
}
