// Renders the first page of a PDF as a PNG with PDFium.
import { crc32, deflateSync } from 'node:zlib'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import { FLOOR_PLAN_BYTES_MAX } from '../../shared/locations/locations.ts'
import { message } from '../../shared/messages/message.ts'
import { type ConvertedPicture, createPictureRefusal, fitSize } from './picture.ts'

// The factor by which a page is scaled down if its PNG is too large, as for a scanned page.
const SCALE_DOWN_FACTOR = 0.7

export async function renderPdf(file: Buffer): Promise<ConvertedPicture> {
  const library = await PDFiumLibrary.init()
  const page = await openFirstPage(library, file)
  const { originalWidth: width, originalHeight: height } = page.getOriginalSize()
  let size = fitSize({ width, height })
  for (;;) {
    const { data, ...drawn } = await page.render({ ...size, render: 'bitmap' })
    const png = encodePng(data, drawn)
    if (png.length <= FLOOR_PLAN_BYTES_MAX) return { data: png, width: drawn.width, height: drawn.height }
    size = fitSize(size, Math.max(size.width, size.height) * SCALE_DOWN_FACTOR)
  }
}

async function openFirstPage(library: PDFiumLibrary, file: Buffer) {
  try {
    return (await library.loadDocument(file)).getPage(0)
  } catch (error) {
    throw createPictureRefusal(
      /password/i.test(String(error))
        ? message`The PDF is protected by a password. Save it without one.`
        : message`The PDF is damaged and cannot be read.`,
    )
  }
}

/** Encodes pixels as a PNG. `bgra` has four bytes for each pixel and must be opaque. */
function encodePng(bgra: Uint8Array, { width, height }: { width: number; height: number }): Buffer {
  // The byte before each row says that the row is not filtered, which suits drawings.
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0, to = 0, from = 0; y < height; y++) {
    rows[to++] = 0
    for (let x = 0; x < width; x++, from += 4) {
      rows[to++] = bgra[from + 2] ?? 0
      rows[to++] = bgra[from + 1] ?? 0
      rows[to++] = bgra[from] ?? 0
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // The picture has eight bits each for red, green and blue.
  header.set([8, 2], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    createPngChunk('IHDR', header),
    createPngChunk('IDAT', deflateSync(rows)),
    createPngChunk('IEND', Buffer.alloc(0)),
  ])
}

function createPngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
