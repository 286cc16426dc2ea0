// Writes a zip as a stream: parts are compressed as they come, and their sizes follow them, because they are
// not known before. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'

type ZipPart = { name: string; content: AsyncIterable<Buffer> | Iterable<Buffer> }

type Entry = { name: string; crc: number; packedBytes: number; bytes: number; offset: number }

// As in exceljs: twice as fast as zlib's default, for files a fifth larger.
const LEVEL = 1
// Without zip64 a size has four bytes.
const BYTES_MAX = 0xffff_ffff
// Version 2.0; sizes follow, UTF-8 names; deflate; 1 January 1980, so that the same rows give the same file.
const FIXED = Buffer.from([20, 0, 0x08, 0x08, 8, 0, 0, 0, 0x21, 0])

export async function* writeZip(parts: Iterable<ZipPart>): AsyncGenerator<Buffer> {
  const entries: Entry[] = []
  let offset = 0
  for (const { name, content } of parts) {
    const entry: Entry = { name, crc: 0, packedBytes: 0, bytes: 0, offset }
    for await (const piece of writePart(entry, content)) {
      offset += piece.length
      yield piece
    }
    entries.push(entry)
  }
  const directory = Buffer.concat(entries.map(directoryEntry))
  yield directory
  yield endOf(entries.length, directory.length, offset)
}

async function* writePart(entry: Entry, content: ZipPart['content']): AsyncGenerator<Buffer> {
  yield Buffer.concat([
    Buffer.from('504b0304', 'hex'),
    FIXED,
    Buffer.alloc(12),
    lengths(entry.name, 2),
    Buffer.from(entry.name),
  ])
  const deflate = createDeflateRaw({ level: LEVEL, chunkSize: 128 * 1024 })
  const fed = pipeline(measured(content, entry), deflate)
  // Handled by the loop below, which throws if the stream is destroyed.
  fed.catch(() => undefined)
  for await (const piece of deflate as AsyncIterable<Buffer>) {
    entry.packedBytes += piece.length
    yield piece
  }
  await fed
  if (entry.bytes > BYTES_MAX) throw new Error(`${entry.name} is too large for a 32-bit zip`)
  yield Buffer.concat([Buffer.from('504b0708', 'hex'), sizes(entry)])
}

async function* measured(content: ZipPart['content'], entry: Entry): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    entry.crc = crc32(piece, entry.crc)
    entry.bytes += piece.length
    yield piece
  }
}

function directoryEntry(entry: Entry): Buffer {
  const fields = Buffer.alloc(14)
  fields.writeUInt32LE(entry.offset, 10)
  const head = [Buffer.from('504b01021400', 'hex'), FIXED, sizes(entry), lengths(entry.name, 2), fields]
  return Buffer.concat([...head, Buffer.from(entry.name)])
}

function sizes({ crc, packedBytes, bytes }: Entry): Buffer {
  const three = Buffer.alloc(12)
  for (const [index, value] of [crc, packedBytes, bytes].entries()) three.writeUInt32LE(value, index * 4)
  return three
}

function lengths(name: string, extraBytes: number): Buffer {
  const field = Buffer.alloc(2 + extraBytes)
  field.writeUInt16LE(Buffer.byteLength(name))
  return field
}

function endOf(number: number, directoryBytes: number, offset: number): Buffer {
  if (offset > BYTES_MAX) throw new Error('The file is too large for a 32-bit zip')
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(number, 8)
  end.writeUInt16LE(number, 10)
  end.writeUInt32LE(directoryBytes, 12)
  end.writeUInt32LE(offset, 16)
  return end
}
