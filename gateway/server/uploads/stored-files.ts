// Stores and reads files in Postgres for the gateway. Uploads and downloads go in chunks, so that no file is ever in
// memory as a whole.
import { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'

const CHUNK_BYTES = 512 * 1024

const INSERT_FILE = `INSERT INTO files (id, name, expires_at) VALUES ($1, $2, now() + interval '24 hours')`
const INSERT_CHUNK = 'INSERT INTO file_chunks (file_id, number, data) VALUES ($1, $2, $3)'
const COMPLETE_FILE = 'UPDATE files SET completed_at = now(), chunks = $2 WHERE id = $1'

/** Returns a stream that stores a file under this id in chunks. The first chunk creates the file. */
export function writeFile(pool: pg.Pool, id: string, name: string, bytesMax: number): Writable {
  let number = 0
  let bytes = 0
  let buffered: Buffer[] = []
  let bufferedBytes = 0
  const flush = async () => {
    if (number === 0) await pool.query(INSERT_FILE, [id, name])
    if (bufferedBytes === 0) return
    const data = Buffer.concat(buffered)
    buffered = []
    bufferedBytes = 0
    await pool.query(INSERT_CHUNK, [id, number++, data])
  }
  let underWay: Promise<unknown> = Promise.resolve()
  const finish = (work: Promise<unknown>, done: (error?: Error | null) => void) => {
    underWay = work
    work.then(() => done(), done)
  }
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > bytesMax)
        return done(new Refusal('too_large', message`The file is larger than ${formatBytes(bytesMax)}.`))
      buffered.push(chunk)
      bufferedBytes += chunk.length
      if (bufferedBytes < CHUNK_BYTES) done()
      else finish(flush(), done)
    },
    final(done) {
      const complete = () => pool.query(COMPLETE_FILE, [id, number])
      finish(flush().then(complete), done)
    },
    // Closes the file only after the last write has ended, so that deleting the file removes all its chunks.
    destroy(error, done) {
      underWay.catch(() => undefined).then(() => done(error))
    },
  })
}

/** Deletes files. If this fails, upkeep deletes the files when they expire. */
export async function deleteFiles(pool: pg.Pool, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await pool.query('DELETE FROM files WHERE id = ANY($1::uuid[])', [ids]).catch(() => undefined)
}

// The delays between polls for the next chunk: short at first, because a worker writes a chunk in
// milliseconds, and longer if no chunk arrives.
const FIRST_POLLS_AFTER_MS = [5, 5, 10, 10, 20, 50]
const POLL_EVERY_MS = 100

/**
 * Streams a file while a worker writes it. `writing` settles when the worker has stopped; if the file is not complete
 * by then, the stream fails.
 */
export function streamFile(pool: pg.Pool, fileId: string, writing: Promise<unknown>): Readable {
  return Readable.from(readChunks(pool, fileId, writing), { objectMode: false, highWaterMark: 512 * 1024 })
}

async function* readChunks(pool: pg.Pool, fileId: string, writing: Promise<unknown>): AsyncGenerator<Buffer> {
  let ended = false
  const end = () => {
    ended = true
  }
  writing.then(end, end)
  for (let number = 0, polls = 0; ; ) {
    const wasEnded = ended
    const [chunk] = (await pool.query<{ data: Buffer }>({ ...FIND_CHUNK, values: [fileId, number] })).rows
    if (chunk) {
      number++
      polls = 0
      yield chunk.data
      continue
    }
    const [state] = (await pool.query<{ chunks: number | null }>({ ...FIND_FILE_STATE, values: [fileId] }))
      .rows
    if (!state) throw new Error('The file was deleted')
    if (state.chunks === number) return
    if (wasEnded) throw new Error('The file is incomplete')
    await sleep(FIRST_POLLS_AFTER_MS[polls++] ?? POLL_EVERY_MS)
  }
}

const FIND_CHUNK = {
  name: 'find-chunk',
  text: 'SELECT data FROM file_chunks WHERE file_id = $1 AND number = $2',
}
const FIND_FILE_STATE = {
  name: 'find-file-state',
  text: 'SELECT CASE WHEN completed_at IS NOT NULL THEN chunks END AS chunks FROM files WHERE id = $1',
}

/** Formats a size exactly: if the size is not a whole number of a unit, uses a smaller unit. */
export function formatBytes(bytes: number): string {
  if (bytes % 1024 !== 0) return `${bytes} bytes`
  return bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024} KiB`
}
