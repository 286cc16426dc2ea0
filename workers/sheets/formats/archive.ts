// Opens the zip archive of an xlsx or ods file. Checks its central directory before unpacking anything.
import type { Readable } from 'node:stream'
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl'
import { message } from '../../../shared/messages/message.ts'
import { createFileRefusal, createTooLargeRefusal } from './sheet.ts'
import type { SpooledFile } from './spooled-file.ts'

export type ZipArchive = {
  has(path: string): boolean
  /** Yields chunks of the unpacked part, or nothing if the archive has no such part. */
  read(path: string): AsyncIterable<Buffer>
}

const ARCHIVE_PARTS_MAX = 10_000
const UNPACKED_BYTES_MAX = 1024 ** 3
// The limit on the compression ratio. Tables compress well, some by a factor of a hundred, but a large file
// that compresses better than this is a zip bomb.
const COMPRESSION_RATIO_MAX = 200
const UNCHECKED_RATIO_BYTES_MAX = 32 * 1024 ** 2

export async function openArchive(file: SpooledFile): Promise<ZipArchive> {
  // yauzl validates entries while it reads them, so no entry can be larger than the directory says.
  const zip = await fromFdPromise(file.handle.fd, { autoClose: false, lazyEntries: true })
  const parts = await listParts(zip)
  refuseLargeArchive([...parts.values()], file.sizeBytes)
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
  if (zip.entryCount > ARCHIVE_PARTS_MAX)
    throw createTooLargeRefusal(
      message`The file is an archive with more than 10,000 parts, the maximum allowed.`,
    )
  const parts = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    // Refuses two parts with the same name, because programs disagree about which of them counts.
    if (parts.has(entry.fileName))
      throw createFileRefusal(message`The file is damaged: it contains a part twice.`)
    if (entry.isEncrypted())
      throw createFileRefusal(message`The file is protected by a password. Save it without a password.`)
    parts.set(entry.fileName, entry)
  }
  return parts
}

function refuseLargeArchive(parts: Entry[], sizeBytes: number) {
  const unpackedBytes = parts.reduce((sum, part) => sum + part.uncompressedSize, 0)
  if (unpackedBytes > UNPACKED_BYTES_MAX)
    throw createTooLargeRefusal(message`The file unpacks to more than 1 GB, the maximum allowed.`)
  if (unpackedBytes > Math.max(UNCHECKED_RATIO_BYTES_MAX, COMPRESSION_RATIO_MAX * sizeBytes)) {
    throw createTooLargeRefusal(
      message`The file unpacks to more than 200 times its size, the maximum allowed.`,
    )
  }
}
