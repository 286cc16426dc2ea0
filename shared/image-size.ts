// What a floor plan is and how large: from the first bytes of a PNG, JPEG, GIF or WebP. An SVG scales, and has its
// viewBox.

export type ImageSize = { width: number; height: number }

const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
const JPEG = Buffer.from([0xff, 0xd8, 0xff])

/** The two that a plan may be: whatever a browser might run is none of them, and a name proves nothing. */
export function imageType(data: Buffer): 'image/png' | 'image/jpeg' | undefined {
  if (data.subarray(0, PNG.length).equals(PNG)) return 'image/png'
  if (data.subarray(0, JPEG.length).equals(JPEG)) return 'image/jpeg'
  return undefined
}

export function imageSize(data: Buffer): ImageSize | undefined {
  try {
    return valid(pngSize(data) ?? jpegSize(data) ?? gifSize(data) ?? webpSize(data) ?? svgSize(data))
  } catch {
    // Cut off in the middle of its head.
    return undefined
  }
}

function pngSize(data: Buffer): ImageSize | undefined {
  if (data.toString('latin1', 1, 4) !== 'PNG') return undefined
  return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) }
}

// Segments follow each other until the one that begins a frame.
function jpegSize(data: Buffer): ImageSize | undefined {
  if (data.readUInt16BE(0) !== 0xffd8) return undefined
  let at = 2
  while (at < data.length) {
    const marker = data.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7) }
    at += 2 + data.readUInt16BE(at + 2)
  }
  return undefined
}

function gifSize(data: Buffer): ImageSize | undefined {
  if (data.toString('latin1', 0, 3) !== 'GIF') return undefined
  return { width: data.readUInt16LE(6), height: data.readUInt16LE(8) }
}

function webpSize(data: Buffer): ImageSize | undefined {
  if (data.toString('latin1', 8, 12) !== 'WEBP') return undefined
  const kind = data.toString('latin1', 12, 16)
  if (kind === 'VP8X') return { width: 1 + data.readUIntLE(24, 3), height: 1 + data.readUIntLE(27, 3) }
  if (kind === 'VP8 ')
    return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff }
  const bits = data.readUInt32LE(21)
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) }
}

function svgSize(data: Buffer): ImageSize | undefined {
  const [, width, height] =
    /viewBox="[\d.-]+[\s,]+[\d.-]+[\s,]+([\d.]+)[\s,]+([\d.]+)"/.exec(data.toString('utf8', 0, 4096)) ?? []
  return width && height ? { width: Number(width), height: Number(height) } : undefined
}

function valid(size: ImageSize | undefined): ImageSize | undefined {
  return size && size.width > 0 && size.height > 0 ? size : undefined
}
