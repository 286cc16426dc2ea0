// The file's bytes on disk: an archive is read from its end, and the encoding of a text is known only after
// reading all of it. The file is unlinked at once, so that nothing is left however the process ends.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { message } from '../../../shared/messages/message.ts'
import { refuseFile, tooLarge } from './sheet.ts'

const BYTES_MAX = 256 * 1024 * 1024
const HEAD_BYTES = 4096

export type SpooledFile = {
  handle: FileHandle
  sizeBytes: number
  /** The first bytes. */
  head: Buffer
  read(): AsyncIterable<Buffer>
}

export async function spoolFile(source: AsyncIterable<Buffer>): Promise<SpooledFile> {
  const handle = await openNameless()
  try {
    const sizeBytes = await write(source, handle)
    const head = Buffer.alloc(Math.min(HEAD_BYTES, sizeBytes))
    await handle.read(head, 0, head.length, 0)
    const read = () => handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 64 * 1024 })
    return { handle, sizeBytes, head, read }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function write(source: AsyncIterable<Buffer>, handle: FileHandle): Promise<number> {
  let sizeBytes = 0
  for await (const chunk of source) {
    sizeBytes += chunk.length
    if (sizeBytes > BYTES_MAX) throw tooLarge(message`The file is larger than 256 MB, which is the limit.`)
    await handle.appendFile(chunk)
  }
  if (sizeBytes === 0) throw refuseFile(message`The file is empty.`)
  return sizeBytes
}

async function openNameless(): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), 'berth-sheet-'))
  try {
    return await open(join(directory, 'file'), 'wx+', 0o600)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
