// Files in Postgres, as a worker reads and writes them: in chunks, so that gateway and workers need no common disk.
import { Readable } from 'node:stream'
import type { Knex } from 'knex'

const CHUNK_BYTES = 512 * 1024

export function readFile(database: Knex, fileId: string): Readable {
  return Readable.from(chunksOf(database, fileId), { objectMode: false, highWaterMark: CHUNK_BYTES })
}

async function* chunksOf(database: Knex, fileId: string): AsyncGenerator<Buffer> {
  for (let number = 0; ; number++) {
    const { rows } = await database.raw('SELECT data FROM file_chunks WHERE file_id = ? AND number = ?', [
      fileId,
      number,
    ])
    const data: Buffer | undefined = rows[0]?.data
    if (!data) return
    yield data
  }
}

export type NewFile = { name: string; contentType: string; attempt: string; keptHours: number }

/** Writes the chunks as they come, each visible at once; `onStart` is told the id when the first can be read. */
export async function writeFile(
  database: Knex,
  { name, contentType, attempt, keptHours }: NewFile,
  source: AsyncIterable<Buffer | string>,
  onStart: (fileId: string) => void,
): Promise<string> {
  // What a worker that died left of the same attempt is of no use.
  await database.raw('DELETE FROM files WHERE attempt = ?', [attempt])
  const { rows } = await database.raw(
    `INSERT INTO files (name, content_type, attempt, expires_at) VALUES (?, ?, ?, now() + ? * interval '1 hour') RETURNING id`,
    [name, contentType, attempt, keptHours],
  )
  const fileId: string = rows[0].id
  let number = 0
  let bytes = 0
  for await (const chunk of inChunks(source)) {
    await database.raw('INSERT INTO file_chunks (file_id, number, data) VALUES (?, ?, ?)', [
      fileId,
      number,
      chunk,
    ])
    if (number === 0) onStart(fileId)
    number++
    bytes += chunk.length
  }
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
