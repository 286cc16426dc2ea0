// Reads floor plans. An uploaded file is accepted if it is, or can be converted to, a picture that every browser shows
// without running code in it. EXIF data is removed, because only some viewers rotate the picture by it, and because it
// may contain the place where a photo was taken, which is private.
import { createHash } from 'node:crypto'
import { imageSize } from 'image-size'
import { FLOOR_PLAN_BYTES_MAX } from '../../../shared/locations/locations.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { invalidFields, type Refusal } from '../../../shared/messages/refusal.ts'
import { convertPicture } from '../../pictures/convert-picture.ts'
import { readUploadedPicture } from '../../runtime/files.ts'
import type { Write } from '../../runtime/write.ts'

// The limit on the pixels of a picture. A small file can unpack to a picture that is too large for any browser.
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

/** Returns the values for the floor plan columns of a location. */
export async function readFloorPlan(write: Write, fileId: string): Promise<FloorPlanColumns> {
  const tooLarge = message`A floor plan can have at most ${FLOOR_PLAN_BYTES_MAX / 1024 / 1024} MiB.`
  const file = await readUploadedPicture(write, fileId, FLOOR_PLAN_BYTES_MAX, tooLarge)
  const picture = await readPicture(file)
  const { width, height } = picture
  if (width * height > PIXELS_MAX) {
    throw createFileRefusal(
      message`The picture has ${width} × ${height} pixels; a floor plan can have at most 100 million.`,
    )
  }
  return toFloorPlanColumns(picture)
}

const BLANK_PLAN_SIZE = { width: 1_200, height: 800 }

export function createBlankFloorPlan(): FloorPlanColumns {
  const { width, height } = BLANK_PLAN_SIZE
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"></svg>`
  return toFloorPlanColumns({
    ...BLANK_PLAN_SIZE,
    type: 'image/svg+xml',
    orientation: 1,
    data: Buffer.from(svg),
  })
}

function toFloorPlanColumns({ data, type, width, height, orientation }: FloorPlanPicture): FloorPlanColumns {
  return {
    floor_plan: data,
    floor_plan_type: type,
    floor_plan_width: width,
    floor_plan_height: height,
    floor_plan_orientation: orientation,
    floor_plan_sha256: createHash('sha256').update(data).digest(),
  }
}

function createFileRefusal(problem: Message): Refusal {
  return invalidFields({ file: [problem] })
}

type FloorPlanPicture = {
  data: Buffer
  type: string
  width: number
  height: number
  /** The EXIF orientation. With 1, the picture is upright. From 5 on, it lies on its side. */
  orientation: number
}

async function readPicture(file: Buffer): Promise<FloorPlanPicture> {
  const bitmap = BITMAPS.find(({ begins }) => begins(file))
  if (bitmap) return readBitmap(file, bitmap)
  const upright = { orientation: 1 }
  // Some programs write a few bytes before the PDF header, so the header need not be at the beginning.
  if (file.subarray(0, 1024).includes('%PDF-'))
    return { ...upright, type: 'image/png', ...(await convertPicture('pdf', file)) }
  if (!isSvg(file))
    throw createFileRefusal(
      message`A floor plan must be a PNG, JPEG, WebP, SVG or PDF file; this file is none of them.`,
    )
  return { ...upright, type: 'image/svg+xml', ...(await convertPicture('svg', file)) }
}

type Bitmap = { type: string; begins(file: Buffer): boolean; withoutExif(file: Buffer): Buffer }

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const JPEG_SIGNATURE = Buffer.from([0xff, 0xd8, 0xff])

const BITMAPS: Bitmap[] = [
  {
    type: 'image/png',
    begins: (file) => file.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE),
    withoutExif: removeExifFromPng,
  },
  {
    type: 'image/jpeg',
    begins: (file) => file.subarray(0, JPEG_SIGNATURE.length).equals(JPEG_SIGNATURE),
    withoutExif: removeExifFromJpeg,
  },
  {
    type: 'image/webp',
    begins: (file) => /^RIFF.{4}WEBP/s.test(file.toString('latin1', 0, 12)),
    withoutExif: removeExifFromWebp,
  },
]

/**
 * Returns whether the file starts like an SVG, with one or two bytes per character. The process that reads the file
 * checks the rest.
 */
const isSvg = (file: Buffer): boolean =>
  /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*<(\?xml|!--|!DOCTYPE svg|(\w+:)?svg)/.test(
    file.toString('latin1', 0, 256).replaceAll('\0', ''),
  )

function readBitmap(file: Buffer, { type, withoutExif }: Bitmap): FloorPlanPicture {
  const found = measurePicture(file)
  if (!found || !(found.width > 0 && found.height > 0))
    throw createFileRefusal(message`The picture is damaged and cannot be read.`)
  const { width, height } = found
  const orientation = isOrientation(found.orientation) ? found.orientation : 1
  const size = orientation >= 5 ? { width: height, height: width } : { width, height }
  return { ...size, orientation, type, data: withoutExif(file) }
}

// Reads the size of a picture. Copies the data to a separate buffer first, because the library reads past the end of a
// slice.
function measurePicture(data: Buffer) {
  try {
    return imageSize(new Uint8Array(data))
  } catch {
    return undefined
  }
}

function isOrientation(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 1 && value <= 8
}

// Removes EXIF data from a JPEG, which consists of segments with a marker and a length, followed by the picture data.
function removeExifFromJpeg(data: Buffer): Buffer {
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

// Removes EXIF data from a PNG, which consists of chunks with a length, a name, the data and a checksum.
function removeExifFromPng(data: Buffer): Buffer {
  const kept = [data.subarray(0, PNG_SIGNATURE.length)]
  let at = PNG_SIGNATURE.length
  while (at + 12 <= data.length) {
    const end = at + 12 + data.readUInt32BE(at)
    if (data.toString('latin1', at + 4, at + 8) !== 'eXIf') kept.push(data.subarray(at, end))
    at = end
  }
  return Buffer.concat([...kept, data.subarray(at)])
}

const WEBP_HEAD_BYTES = 12
const WEBP_CHUNK_HEAD_BYTES = 8
const WEBP_METADATA_CHUNKS = ['EXIF', 'XMP ']
// The flags in the first chunk of an extended WebP that tell whether the file has metadata chunks.
const WEBP_METADATA_FLAGS = 0x0c

// Removes EXIF data from a WebP, which consists of chunks with a name, a length and the data. The data is padded to an
// even number of bytes.
function removeExifFromWebp(data: Buffer): Buffer {
  const kept: Buffer[] = []
  let at = WEBP_HEAD_BYTES
  while (at + WEBP_CHUNK_HEAD_BYTES <= data.length) {
    const length = data.readUInt32LE(at + 4)
    const end = at + WEBP_CHUNK_HEAD_BYTES + length + (length % 2)
    const name = data.toString('latin1', at, at + 4)
    const chunk = Buffer.from(data.subarray(at, end))
    if (name === 'VP8X' && chunk.length > WEBP_CHUNK_HEAD_BYTES)
      chunk.writeUInt8(chunk.readUInt8(WEBP_CHUNK_HEAD_BYTES) & ~WEBP_METADATA_FLAGS, WEBP_CHUNK_HEAD_BYTES)
    if (!WEBP_METADATA_CHUNKS.includes(name)) kept.push(chunk)
    at = end
  }
  const body = Buffer.concat(kept)
  const head = Buffer.from(data.subarray(0, WEBP_HEAD_BYTES))
  head.writeUInt32LE(WEBP_HEAD_BYTES - WEBP_CHUNK_HEAD_BYTES + body.length, 4)
  return Buffer.concat([head, body])
}
