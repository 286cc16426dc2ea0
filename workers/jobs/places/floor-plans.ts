// Floor plans: an uploaded file is accepted if it is a picture that every browser shows and none executes. EXIF
// data is removed: some viewers rotate the picture by it and others do not, and the place where a photo was
// taken is private.
import { createHash } from 'node:crypto'
import { imageSize } from 'image-size'
import { FLOOR_PLAN_BYTES_MAX } from '../../../shared/locations/locations.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
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
  const data = await readWhole(write, fileId)
  const type = pictureType(data)
  if (!type) throw refuse(message`A floor plan must be a PNG or JPEG picture; this file is neither.`)
  const picture = readPicture(data, type)
  if (!picture) throw refuse(message`The picture is damaged and cannot be read.`)
  const { width, height } = picture
  if (width * height > PIXELS_MAX) {
    throw refuse(
      message`The picture has ${width} × ${height} pixels; a floor plan can have at most 100 million.`,
    )
  }
  return {
    floor_plan: picture.data,
    floor_plan_type: type,
    floor_plan_width: width,
    floor_plan_height: height,
    floor_plan_orientation: picture.orientation,
    floor_plan_sha256: createHash('sha256').update(picture.data).digest(),
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

type PictureType = 'image/png' | 'image/jpeg'
type Picture = {
  data: Buffer
  type: PictureType
  width: number
  height: number
  /** As in EXIF: 1 is upright; from 5 on the picture lies on its side. */
  orientation: number
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const JPEG = Buffer.from([0xff, 0xd8, 0xff])

function pictureType(data: Buffer): PictureType | undefined {
  if (data.subarray(0, PNG.length).equals(PNG)) return 'image/png'
  return data.subarray(0, JPEG.length).equals(JPEG) ? 'image/jpeg' : undefined
}

/** Undefined if the picture is damaged. */
function readPicture(data: Buffer, type: PictureType): Picture | undefined {
  const found = sizeOf(data)
  if (!found || !(found.width > 0 && found.height > 0)) return undefined
  const { width, height } = found
  const orientation = isOrientation(found.orientation) ? found.orientation : 1
  const size = orientation >= 5 ? { width: height, height: width } : { width, height }
  return {
    ...size,
    orientation,
    type,
    data: type === 'image/png' ? pngWithoutExif(data) : jpegWithoutExif(data),
  }
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
