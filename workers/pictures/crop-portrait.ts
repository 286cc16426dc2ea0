// Crops a photo of a person to a small square, turns it upright and removes its metadata. Decodes only JPEG, PNG and
// WebP, even if a file claims another type.
import sharp from 'sharp'
import { message } from '../../shared/messages/message.ts'
import { PORTRAIT_SIDE_PX, PORTRAIT_TYPES } from '../../shared/people/pictures.ts'
import { type ConvertedPicture, createPictureRefusal } from './picture.ts'

// The limit on pixels, which is enough for photos of large phone cameras. Each decoded pixel takes up to four bytes.
const PIXELS_MAX = 50_000_000
const WEBP_QUALITY = 80

sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
})
sharp.cache(false)
sharp.concurrency(1)

export async function cropPortrait(file: Buffer): Promise<ConvertedPicture> {
  // Blocked decoders and damaged headers both make this fail.
  const { format, width, height } = await sharp(file, { limitInputPixels: false })
    .metadata()
    .catch(() => ({ format: '', width: 0, height: 0 }))
  if (!PORTRAIT_TYPES.some((type) => type === `image/${format}`))
    throw createPictureRefusal(
      message`A picture must be a JPEG, PNG or WebP file; this file is none of them.`,
    )
  if (width * height > PIXELS_MAX)
    throw createPictureRefusal(
      message`The picture has ${width} × ${height} pixels; a picture can have at most 50 million.`,
    )
  const { data, info } = await sharp(file, { limitInputPixels: PIXELS_MAX, failOn: 'error' })
    .autoOrient()
    .resize(PORTRAIT_SIDE_PX, PORTRAIT_SIDE_PX, { fit: 'cover' })
    // A transparent picture gets a white background, so that it looks the same in both themes.
    .flatten({ background: '#ffffff' })
    .webp({ quality: WEBP_QUALITY })
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}
