// The zip archive of an xlsx or ods. Its central directory is checked before anything is unpacked.
import type { Readable } from 'node:stream'
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl'
import { message } from '../../../shared/messages/message.ts'
import { refuseFile, tooLarge } from './sheet.ts'
import type { SpooledFile } from './spooled-file.ts'

export type Archive = {
  has(path: string): boolean
  /** The unpacked part, piece by piece; nothing if there is no such part. */
  read(path: string): AsyncIterable<Buffer>
}

const PARTS_MAX = 10_000
const UNPACKED_BYTES_MAX = 1024 ** 3
// Tables compress well, some a hundredfold; a large file that compresses better is a zip bomb.
const RATIO_MAX = 200
const RATIO_FREE_BYTES = 32 * 1024 ** 2

export async function openArchive(file: SpooledFile): Promise<Archive> {
  // yauzl validates entries as it reads them: none can be larger than the directory says.
  const zip = await fromFdPromise(file.handle.fd, { autoClose: false, lazyEntries: true })
  const parts = await listParts(zip)
  weigh([...parts.values()], file.sizeBytes)
  return {
    has: (path) => parts.has(path),
    async *read(path) {
      const part = parts.get(path)
      if (!part) return
      yield* (await zip.openReadStreamPromise(part)) as Readable & AsyncIterable<Buffer>
    },
  }
}

async function listParts(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > PARTS_MAX)
    throw tooLarge(message`The file has more than 10,000 parts, which is the limit.`)
  const parts = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    // Programs disagree on which of two parts with one name counts.
    if (parts.has(entry.fileName)) throw refuseFile(message`The file is damaged: it contains a part twice.`)
    if (entry.isEncrypted())
      throw refuseFile(message`The file is protected by a password. Save it without a password.`)
    parts.set(entry.fileName, entry)
  }
  return parts
}

function weigh(parts: Entry[], sizeBytes: number) {
  const unpackedBytes = parts.reduce((sum, part) => sum + part.uncompressedSize, 0)
  if (unpackedBytes > UNPACKED_BYTES_MAX)
    throw tooLarge(message`The file unpacks to more than 1 GB, which is the limit.`)
  if (unpackedBytes > Math.max(RATIO_FREE_BYTES, RATIO_MAX * sizeBytes)) {
    throw tooLarge(message`The file unpacks to more than 200 times its size, which is the limit.`)
  }
}
