// Reads pictures that browsers show and never execute: a PNG or JPEG, its displayed size, and its
// orientation. EXIF data is removed: some viewers rotate the picture by it and others do not, and the place
// where a photo was taken is private.
import { imageSize } from 'image-size'

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

export function pictureType(data: Buffer): PictureType | undefined {
  if (data.subarray(0, PNG.length).equals(PNG)) return 'image/png'
  return data.subarray(0, JPEG.length).equals(JPEG) ? 'image/jpeg' : undefined
}

/** Undefined if the picture is damaged. */
export function readPicture(data: Buffer, type: PictureType): Picture | undefined {
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
