// Floor plans: an uploaded file is accepted if it is, or can be made, a picture that every browser shows and none
// executes. EXIF data is removed: some viewers rotate the picture by it and others do not, and the place where a photo
// was taken is private.
import { createHash } from 'node:crypto'
import { imageSize } from 'image-size'
import { FLOOR_PLAN_BYTES_MAX } from '../../../shared/locations/locations.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { convertPicture } from '../../pictures/convert-picture.ts'
import type { Write } from '../../runtime/write.ts'

// A small file can unpack to a picture too large for any browser.
const PIXELS_MAX = 100_000_000

export const NO_FLOOR_PLAN = {
  floor_plan: null,
  floor_plan_type: null,
  floor_plan_width: null,
  floor_plan_height: null,
  floor_plan_orientation: null,
  floor_plan_sha256: null,
}
type FloorPlanColumns = Record<keyof typeof NO_FLOOR_PLAN, unknown>

/** Returns the floor plan columns of a location. */
export async function readFloorPlan(write: Write, fileId: string): Promise<FloorPlanColumns> {
  await refuseLarge(write, fileId)
  const file = await readWhole(write, fileId)
  const picture = await readPicture(file)
  const { width, height } = picture
  if (width * height > PIXELS_MAX) {
    throw refuse(
      message`The picture has ${width} × ${height} pixels; a floor plan can have at most 100 million.`,
    )
  }
  return columnsOf(picture)
}

const BLANK = { width: 1_200, height: 800 }

export function blankFloorPlan(): FloorPlanColumns {
  const { width, height } = BLANK
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"></svg>`
  return columnsOf({ ...BLANK, type: 'image/svg+xml', orientation: 1, data: Buffer.from(svg) })
}

function columnsOf({ data, type, width, height, orientation }: Picture): FloorPlanColumns {
  return {
    floor_plan: data,
    floor_plan_type: type,
    floor_plan_width: width,
    floor_plan_height: height,
    floor_plan_orientation: orientation,
    floor_plan_sha256: createHash('sha256').update(data).digest(),
  }
}

// Checks the size before the file is loaded into memory.
async function refuseLarge(write: Write, fileId: string): Promise<void> {
  const found = await write.first<{ bytes: number }>(
    `SELECT (SELECT coalesce(sum(octet_length(data)), 0)::int FROM file_chunks WHERE file_id = files.id) AS bytes
     FROM files WHERE id = ? AND completed_at IS NOT NULL`,
    [fileId],
  )
  if (!found) throw refuse(message`The uploaded file no longer exists. Upload it again.`)
  if (found.bytes > FLOOR_PLAN_BYTES_MAX) {
    const detail = message`A floor plan can have at most ${FLOOR_PLAN_BYTES_MAX / 1024 / 1024} MiB.`
    throw new Refusal('too_large', detail)
  }
}

async function readWhole(write: Write, fileId: string): Promise<Buffer> {
  const { data } = await write.only<{ data: Buffer }>(
    `SELECT coalesce(string_agg(data, '' ORDER BY number), '') AS data FROM file_chunks WHERE file_id = ?`,
    [fileId],
  )
  return data
}

function refuse(problem: Message): Refusal {
  return invalid({ file: [problem] })
}

type Picture = {
  data: Buffer
  type: string
  width: number
  height: number
  /** As in EXIF: 1 is upright; from 5 on the picture lies on its side. */
  orientation: number
}

async function readPicture(file: Buffer): Promise<Picture> {
  const bitmap = BITMAPS.find(({ begins }) => begins(file))
  if (bitmap) return readBitmap(file, bitmap)
  const upright = { orientation: 1 }
  // Some programs write a few bytes before the head of a PDF.
  if (file.subarray(0, 1024).includes('%PDF-'))
    return { ...upright, type: 'image/png', ...(await convertPicture('application/pdf', file)) }
  if (!isSvg(file))
    throw refuse(message`A floor plan must be a PNG, JPEG, WebP, SVG or PDF file; this file is none of them.`)
  return { ...upright, type: 'image/svg+xml', ...(await convertPicture('image/svg+xml', file)) }
}

type Bitmap = { type: string; begins(file: Buffer): boolean; withoutExif(file: Buffer): Buffer }

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const JPEG = Buffer.from([0xff, 0xd8, 0xff])

const BITMAPS: Bitmap[] = [
  {
    type: 'image/png',
    begins: (file) => file.subarray(0, PNG.length).equals(PNG),
    withoutExif: pngWithoutExif,
  },
  {
    type: 'image/jpeg',
    begins: (file) => file.subarray(0, JPEG.length).equals(JPEG),
    withoutExif: jpegWithoutExif,
  },
  {
    type: 'image/webp',
    begins: (file) => /^RIFF.{4}WEBP/s.test(file.toString('latin1', 0, 12)),
    withoutExif: webpWithoutExif,
  },
]

/** Whether it begins as one, in one or two bytes a letter. The process that reads it knows better. */
const isSvg = (file: Buffer): boolean =>
  /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*<(\?xml|!--|!DOCTYPE svg|(\w+:)?svg)/.test(
    file.toString('latin1', 0, 256).replaceAll('\0', ''),
  )

function readBitmap(file: Buffer, { type, withoutExif }: Bitmap): Picture {
  const found = sizeOf(file)
  if (!found || !(found.width > 0 && found.height > 0))
    throw refuse(message`The picture is damaged and cannot be read.`)
  const { width, height } = found
  const orientation = isOrientation(found.orientation) ? found.orientation : 1
  const size = orientation >= 5 ? { width: height, height: width } : { width, height }
  return { ...size, orientation, type, data: withoutExif(file) }
}

// In a separate buffer: the library reads past the end of a slice of a larger one.
function sizeOf(data: Buffer) {
  try {
    return imageSize(new Uint8Array(data))
  } catch {
    return undefined
  }
}

function isOrientation(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 1 && value <= 8
}

// A JPEG is segments of a marker and a length, followed by the picture data.
function jpegWithoutExif(data: Buffer): Buffer {
  const kept = [data.subarray(0, 2)]
  let at = 2
  while (at + 4 <= data.length && data[at] === 0xff && data[at + 1] !== 0xda) {
    const end = at + 2 + data.readUInt16BE(at + 2)
    const isExif = data[at + 1] === 0xe1 && data.toString('latin1', at + 4, at + 10) === 'Exif\0\0'
    if (!isExif) kept.push(data.subarray(at, end))
    at = end
  }
  return Buffer.concat([...kept, data.subarray(at)])
}

// A PNG is chunks of a length, a name, the data and a checksum.
function pngWithoutExif(data: Buffer): Buffer {
  const kept = [data.subarray(0, PNG.length)]
  let at = PNG.length
  while (at + 12 <= data.length) {
    const end = at + 12 + data.readUInt32BE(at)
    if (data.toString('latin1', at + 4, at + 8) !== 'eXIf') kept.push(data.subarray(at, end))
    at = end
  }
  return Buffer.concat([...kept, data.subarray(at)])
}

const WEBP_HEAD = 12
const WEBP_CHUNK_HEAD = 8
const WEBP_METADATA = ['EXIF', 'XMP ']
// In the first chunk of an extended file: whether there are such chunks.
const WEBP_METADATA_FLAGS = 0x0c

// A WebP is chunks of a name, a length and the data, which has an even number of bytes.
function webpWithoutExif(data: Buffer): Buffer {
  const kept: Buffer[] = []
  let at = WEBP_HEAD
  while (at + WEBP_CHUNK_HEAD <= data.length) {
    const length = data.readUInt32LE(at + 4)
    const end = at + WEBP_CHUNK_HEAD + length + (length % 2)
    const name = data.toString('latin1', at, at + 4)
    const chunk = Buffer.from(data.subarray(at, end))
    if (name === 'VP8X' && chunk.length > WEBP_CHUNK_HEAD)
      chunk.writeUInt8(chunk.readUInt8(WEBP_CHUNK_HEAD) & ~WEBP_METADATA_FLAGS, WEBP_CHUNK_HEAD)
    if (!WEBP_METADATA.includes(name)) kept.push(chunk)
    at = end
  }
  const body = Buffer.concat(kept)
  const head = Buffer.from(data.subarray(0, WEBP_HEAD))
  head.writeUInt32LE(WEBP_HEAD - WEBP_CHUNK_HEAD + body.length, 4)
  return Buffer.concat([head, body])
}
