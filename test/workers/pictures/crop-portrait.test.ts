// Tests the conversion of uploaded and fetched pictures of people in a child process, including hostile files.
import { crc32 } from 'node:zlib'
import { expect } from 'chai'
import sharp from 'sharp'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import { convertPicture } from '../../../workers/pictures/convert-picture.ts'
import { cropPortrait } from '../../../workers/pictures/crop-portrait.ts'
import { createRotatedJpeg, createRotatedPng, drawPng } from '../../support/dashboard/pictures.ts'

// Generous, because the child process also loads the compiler in tests.
const CONVERSION_LIMITS = { memoryMb: 640, timeMs: 60_000 }

const catchRefusal = (converted: Promise<unknown>): Promise<Refusal> =>
  converted.then(
    () => expect.fail('not refused'),
    (error) => error,
  )
// Crops in the test process, which is faster than starting a process for each file.
const crop = cropPortrait
const findProblem = async (file: Buffer): Promise<string> => {
  const refusal = await catchRefusal(crop(file))
  // The child process reports every other error as a damaged file.
  if (!(refusal instanceof Refusal)) return 'damaged'
  return writeEnglish(refusal.errors?.['file']?.[0] ?? refusal.detail)
}

/** Changes the size in the header of a PNG, whose pixels stay few. */
function claimSize(png: Buffer, width: number, height: number): Buffer {
  const claimed = Buffer.from(png)
  claimed.writeUInt32BE(width, 16)
  claimed.writeUInt32BE(height, 20)
  claimed.writeUInt32BE(crc32(claimed.subarray(12, 29)), 29)
  return claimed
}

describe('the picture of a person', () => {
  it('becomes a small square WebP, from a JPEG, a PNG and a WebP', async () => {
    const png = drawPng(300, 200)
    for (const file of [png, await sharp(png).jpeg().toBuffer(), await sharp(png).webp().toBuffer()]) {
      const { data, width, height } = await crop(file)
      expect([width, height]).to.deep.equal([160, 160])
      expect(await sharp(data).metadata()).to.include({ format: 'webp', width: 160, height: 160 })
    }
  })

  it('is upright, and keeps no metadata', async () => {
    // Orientation 6: the left of the file is at the top.
    const { data } = await crop(createRotatedJpeg(6))
    const { exif, xmp, icc, orientation } = await sharp(data).metadata()
    expect([exif, xmp, icc, orientation]).to.deep.equal([undefined, undefined, undefined, undefined])
    const { data: pixels, info } = await sharp(data).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    const colourAt = (x: number, y: number) => {
      const at = (y * info.width + x) * info.channels
      return (pixels[at] ?? 0) > (pixels[at + 2] ?? 0) ? 'red' : 'blue'
    }
    expect([colourAt(80, 20), colourAt(80, 140)]).to.deep.equal(['red', 'blue'])
    expect((await sharp((await crop(createRotatedPng(60, 40, 3))).data).metadata()).exif).to.equal(undefined)
  })

  it('contains no data that was appended to the file or hidden in it', async () => {
    const script = '<script>alert(1)</script>'
    const jpeg = await sharp(drawPng(40, 40))
      .withExif({ IFD0: { ImageDescription: script } })
      .jpeg()
      .toBuffer()
    const { data } = await crop(Buffer.concat([jpeg, Buffer.from(`PK\x03\x04${script}`)]))
    expect(data.includes('script')).to.equal(false)
    expect(data.includes('PK\x03\x04')).to.equal(false)
  })

  const png = drawPng(30, 20)
  const refused: Array<[what: string, file: () => Buffer | Promise<Buffer>, problem: RegExp]> = [
    [
      'an SVG',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      /none of them/,
    ],
    ['a GIF', () => sharp(png).gif().toBuffer(), /none of them/],
    ['a TIFF', () => sharp(png).tiff().toBuffer(), /none of them/],
    ['an AVIF', () => sharp(png).avif().toBuffer(), /none of them/],
    [
      'a PDF that calls itself a PNG',
      () => Buffer.concat([png.subarray(0, 8), Buffer.from('%PDF-1.7')]),
      /none of them|damaged/,
    ],
    ['an empty file', () => Buffer.alloc(0), /none of them|damaged/],
    ['a PNG that ends early', () => png.subarray(0, png.length - 30), /damaged/],
    ['a PNG of 50,000 × 50,000 pixels', () => claimSize(png, 50_000, 50_000), /50 million/],
    ['a PNG of 2³¹ pixels in width', () => claimSize(png, 2_147_483_647, 1), /50 million|none of them/],
  ]
  for (const [what, file, problem] of refused)
    it(`is refused: ${what}`, async () => expect(await findProblem(await file())).to.match(problem))

  it('is made in a separate process, which reports damaged files', async () => {
    const { width } = await convertPicture('portrait', drawPng(30, 20), CONVERSION_LIMITS)
    expect(width).to.equal(160)
    const refusal = await catchRefusal(
      convertPicture('portrait', png.subarray(0, png.length - 30), CONVERSION_LIMITS),
    )
    expect(writeEnglish(refusal.errors?.['file']?.[0] ?? refusal.detail)).to.match(/damaged/)
  })

  it('is refused if it takes too much time to read', async () => {
    const file = await sharp({ create: { width: 6_000, height: 6_000, channels: 3, background: '#a33' } })
      .png()
      .toBuffer()
    const refusal = await catchRefusal(convertPicture('portrait', file, { ...CONVERSION_LIMITS, timeMs: 1 }))
    expect(refusal).to.include({ code: 'too_large' })
  })
})
