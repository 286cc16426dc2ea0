// Creates pictures for tests: small, but real pictures that browsers show.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { imageSize } from 'image-size'

/** Returns a grey PNG with a dark frame. */
export function drawPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Each pixel has eight bits of grey.
  header.writeUInt8(8, 8)
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(1 + width, 0xee)
    row[0] = 0
    row[1] = row[width] = 0x55
    if (y === 0 || y === height - 1) row.fill(0x55, 1)
    return row
  })
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    createChunk('IHDR', header),
    createChunk('IDAT', deflateSync(Buffer.concat(rows))),
    createChunk('IEND', Buffer.alloc(0)),
  ])
}

/** 40 × 20 pixels, written by Chromium: the left half is red, the right half blue. */
export const RED_LEFT_BLUE_RIGHT = readFileSync(join(import.meta.dirname, 'red-left-blue-right.jpg'))

/** Returns the JPEG with the EXIF orientation of a rotated camera. */
export function createRotatedJpeg(orientation: number): Buffer {
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), createExif(orientation)])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(exif.length + 2, 2)
  return Buffer.concat([RED_LEFT_BLUE_RIGHT.subarray(0, 2), head, exif, RED_LEFT_BLUE_RIGHT.subarray(2)])
}

/** Returns a PNG with an EXIF orientation, which browsers also follow. */
export function createRotatedPng(width: number, height: number, orientation: number): Buffer {
  const png = drawPng(width, height)
  const headBytes = 33
  return Buffer.concat([
    png.subarray(0, headBytes),
    createChunk('eXIf', createExif(orientation)),
    png.subarray(headBytes),
  ])
}

// Returns EXIF data with a single entry, the orientation (0x112, a short).
function createExif(orientation: number): Buffer {
  const tiff = Buffer.alloc(26)
  tiff.write('MM', 0, 'latin1')
  tiff.writeUInt16BE(42, 2)
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(0x112, 10)
  tiff.writeUInt16BE(3, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  return tiff
}

/** Returns the columns of a location with the given floor plan. */
export function createFloorPlanColumns(data: Buffer, { width, height } = imageSize(data)) {
  return {
    floor_plan: data,
    floor_plan_type: 'image/png',
    floor_plan_width: width,
    floor_plan_height: height,
    floor_plan_orientation: 1,
    floor_plan_sha256: createHash('sha256').update(data).digest(),
  }
}

function createChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
