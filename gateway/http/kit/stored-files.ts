// Writes and deletes files in Postgres for the gateway: uploads go in chunks, so that none is ever whole in
// memory.
import { Writable } from 'node:stream'
import type pg from 'pg'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { formatBytes } from './format-bytes.ts'

const CHUNK_BYTES = 512 * 1024

/** Returns a stream that stores a file under this id, in chunks; the first chunk creates the file. */
export function writeFile(pool: pg.Pool, id: string, name: string, bytesMax: number): Writable {
  let number = 0
  let bytes = 0
  let buffered: Buffer[] = []
  let bufferedBytes = 0
  const begin = () =>
    pool.query(`INSERT INTO files (id, name, expires_at) VALUES ($1, $2, now() + interval '24 hours')`, [
      id,
      name,
    ])
  const flush = async () => {
    if (number === 0) await begin()
    if (bufferedBytes === 0) return
    const data = Buffer.concat(buffered)
    buffered = []
    bufferedBytes = 0
    await pool.query('INSERT INTO file_chunks (file_id, number, data) VALUES ($1, $2, $3)', [
      id,
      number++,
      data,
    ])
  }
  let underWay: Promise<unknown> = Promise.resolve()
  const finish = (work: Promise<unknown>, done: (error?: Error | null) => void) => {
    underWay = work
    work.then(
      () => done(),
      (error: Error) => done(error),
    )
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
      const end = async () => {
        await flush()
        await pool.query('UPDATE files SET completed_at = now(), chunks = $2 WHERE id = $1', [id, number])
      }
      finish(end(), done)
    },
    // Closes only after the last write has ended, so that deleting the file then deletes all of it.
    destroy(error, done) {
      underWay.then(
        () => done(error),
        () => done(error),
      )
    },
  })
}

/** If this fails, upkeep deletes the files when they expire. */
export async function deleteFiles(pool: pg.Pool, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await pool.query('DELETE FROM files WHERE id = ANY($1::uuid[])', [ids]).catch(() => undefined)
}
