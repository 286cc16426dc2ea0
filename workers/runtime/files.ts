// Reads and writes files in Postgres in chunks, so that gateways and workers need no shared disk.
import { Readable } from 'node:stream'
import type { Knex } from 'knex'
import { type Message, message } from '../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../shared/messages/refusal.ts'
import type { Recorder } from './write.ts'

const CHUNK_BYTES = 512 * 1024

export function readFile(database: Knex, fileId: string): Readable {
  return Readable.from(readChunks(database, fileId), { objectMode: false, highWaterMark: CHUNK_BYTES })
}

export async function isFileStored(database: Knex, fileId: string): Promise<boolean> {
  const { rows } = await database.raw('SELECT FROM files WHERE id = ? AND expires_at > now()', [fileId])
  return rows.length > 0
}

/** Reads the first bytes of a file, which identify its type. */
export async function readFileStart(database: Knex, fileId: string): Promise<Buffer> {
  const { rows } = await database.raw(
    'SELECT substring(data for 8) AS head FROM file_chunks WHERE file_id = ? AND number = 0',
    [fileId],
  )
  return rows[0]?.head ?? Buffer.alloc(0)
}

// Reads the chunks of a file. Refuses the file if a chunk is missing, because the part read so far must not be mistaken
// for the whole file. An import deletes its file, and the gateway deletes an upload if the caller disconnects. Both may
// happen while a worker reads the file.
async function* readChunks(database: Knex, fileId: string): AsyncGenerator<Buffer> {
  const { rows: found } = await database.raw(
    'SELECT chunks FROM files WHERE id = ? AND completed_at IS NOT NULL',
    [fileId],
  )
  const chunks: number | undefined = found[0]?.chunks
  if (chunks === undefined) throw createDeletedFileRefusal()
  for (let number = 0; number < chunks; number++) {
    const { rows } = await database.raw('SELECT data FROM file_chunks WHERE file_id = ? AND number = ?', [
      fileId,
      number,
    ])
    const data: Buffer | undefined = rows[0]?.data
    if (!data) throw createDeletedFileRefusal()
    yield data
  }
}

export function createDeletedFileRefusal(): Refusal {
  return invalidFields({
    file: [message`The file is no longer stored: it has been applied, or it is older than 24 hours.`],
  })
}

type NewFile = { name: string; contentType: string; attempt: string; keptHours: number }

/**
 * Writes the chunks of a file as they arrive. Each chunk is visible immediately. `onStart` is called with the id of the
 * file as soon as the first chunk can be read.
 */
export async function writeFile(
  database: Knex,
  { name, contentType, attempt, keptHours }: NewFile,
  source: AsyncIterable<Buffer | string>,
  onStart: (fileId: string) => void,
): Promise<string> {
  // Deletes the chunks that a worker wrote for the same attempt before it died.
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
  for await (const chunk of splitIntoChunks(source)) {
    await writing
    bytes += chunk.length
    // The next chunk is prepared while this chunk is being stored.
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

async function* splitIntoChunks(source: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
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

export async function deleteFile(database: Knex, fileId: string): Promise<void> {
  await database.raw('DELETE FROM files WHERE id = ?', [fileId])
}

/** Returns an uploaded picture. Refuses one that is too large before it is loaded into memory. */
export async function readUploadedPicture(
  write: Recorder,
  fileId: string,
  bytesMax: number,
  tooLarge: Message,
): Promise<Buffer> {
  const found = await write.first<{ bytes: number }>(
    `SELECT (SELECT coalesce(sum(octet_length(data)), 0)::int FROM file_chunks WHERE file_id = files.id) AS bytes
     FROM files WHERE id = ? AND completed_at IS NOT NULL`,
    [fileId],
  )
  if (!found) throw invalidFields({ file: [message`The uploaded file no longer exists. Upload it again.`] })
  if (found.bytes > bytesMax) throw new Refusal('too_large', tooLarge)
  const { data } = await write.only<{ data: Buffer }>(
    `SELECT coalesce(string_agg(data, '' ORDER BY number), '') AS data FROM file_chunks WHERE file_id = ?`,
    [fileId],
  )
  return data
}
