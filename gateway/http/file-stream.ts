// Sends a file from its chunks, even while a worker is still writing it: the caller gets the first piece at
// once.
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

// Often at first, since a chunk takes its worker some milliseconds; less and less often if nothing comes.
const POLL_AFTER_MS = [5, 5, 10, 10, 20, 50]
const POLL_EVERY_MS = 100

type State = { chunks: number | null; name: string }

/**
 * `writing` settles when the worker has stopped writing; if the file is not complete by then, the stream
 * fails.
 */
export function streamFile(pool: pg.Pool, fileId: string, writing: Promise<unknown>): Readable {
  return Readable.from(chunksOf(pool, fileId, writing), { objectMode: false, highWaterMark: 512 * 1024 })
}

async function* chunksOf(pool: pg.Pool, fileId: string, writing: Promise<unknown>): AsyncGenerator<Buffer> {
  let ended = false
  writing.then(
    () => {
      ended = true
    },
    () => {
      ended = true
    },
  )
  for (let number = 0, polls = 0; ; ) {
    const wasEnded = ended
    const chunk = await findChunk(pool, fileId, number)
    if (chunk) {
      number++
      polls = 0
      yield chunk
      continue
    }
    const state = await findState(pool, fileId)
    if (!state) throw new Error('The file was deleted')
    if (state.chunks === number) return
    if (wasEnded) throw new Error('The file is incomplete')
    await sleep(POLL_AFTER_MS[polls++] ?? POLL_EVERY_MS)
  }
}

async function findChunk(pool: pg.Pool, fileId: string, number: number): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ data: Buffer }>({
    name: 'find-chunk',
    text: 'SELECT data FROM file_chunks WHERE file_id = $1 AND number = $2',
    values: [fileId, number],
  })
  return rows[0]?.data
}

async function findState(pool: pg.Pool, fileId: string): Promise<State | undefined> {
  const { rows } = await pool.query<State>({
    name: 'find-file-state',
    text: 'SELECT CASE WHEN completed_at IS NOT NULL THEN chunks END AS chunks, name FROM files WHERE id = $1',
    values: [fileId],
  })
  return rows[0]
}
