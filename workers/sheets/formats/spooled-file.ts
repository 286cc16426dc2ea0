// Stores the bytes of a file on disk: an archive is read from its end, and the encoding of a text is known
// only after reading all of it. The file is unlinked immediately, so that it disappears no matter how the
// process ends.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { message } from '../../../shared/messages/message.ts'
import { createFileRefusal, createTooLargeRefusal } from './sheet.ts'

const FILE_BYTES_MAX = 256 * 1024 * 1024
const HEAD_BYTES = 4096

export type SpooledFile = {
  handle: FileHandle
  sizeBytes: number
  /** The first bytes of the file. */
  head: Buffer
  read(): AsyncIterable<Buffer>
}

export async function spoolFile(source: AsyncIterable<Buffer>): Promise<SpooledFile> {
  const handle = await openUnlinkedFile()
  try {
    const sizeBytes = await writeToFile(source, handle)
    const head = Buffer.alloc(Math.min(HEAD_BYTES, sizeBytes))
    await handle.read(head, 0, head.length, 0)
    const read = () => handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 64 * 1024 })
    return { handle, sizeBytes, head, read }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function writeToFile(source: AsyncIterable<Buffer>, handle: FileHandle): Promise<number> {
  let sizeBytes = 0
  for await (const chunk of source) {
    sizeBytes += chunk.length
    if (sizeBytes > FILE_BYTES_MAX)
      throw createTooLargeRefusal(message`The file is larger than 256 MB, the maximum allowed.`)
    await handle.appendFile(chunk)
  }
  if (sizeBytes === 0) throw createFileRefusal(message`The file is empty.`)
  return sizeBytes
}

async function openUnlinkedFile(): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), 'berth-sheet-'))
  try {
    return await open(join(directory, 'file'), 'wx+', 0o600)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
