// Defines the limits and jobs of people's pictures, and the SQL for their addresses.
import { id, object, required, text, uuid } from '../schemas/fields.ts'
import { writeJob } from '../schemas/job.ts'

/**
 * The width and height of a stored picture: twice the size of the largest avatar, for screens with a high resolution.
 */
export const PORTRAIT_SIDE_PX = 160
export const PORTRAIT_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const
export const PORTRAIT_BYTES_MAX = 10 * 1024 * 1024

/** The number of days after which a sign-in fetches the provider's picture again. */
export const PROVIDED_PICTURE_DAYS = 7

/** SQL for the hash in the address of a picture. */
export const PICTURE_HASH_SQL = "left(encode(user_pictures.sha256, 'hex'), 24)"

const ADDRESS_LENGTH_MAX = 2_000

/** Returns whether Berth can fetch a picture from this address. Identity providers may also send inline data. */
export const isPictureAddress = (address: unknown): address is string =>
  typeof address === 'string' &&
  address.length <= ADDRESS_LENGTH_MAX &&
  /^https?:\/\//i.test(address) &&
  URL.canParse(address)

export const pictureAddressInput = () => text({ max: ADDRESS_LENGTH_MAX, min: 1 }).nullable()

export const pictureJobs = {
  /** Sets a person's picture to an uploaded file, or removes it for good if `file_id` is null. */
  'people.set-picture': writeJob(
    object({ user_id: required(id()), file_id: required(uuid()).nullable() }),
    null,
  ),
  /**
   * Stores the address of a person's picture at the identity provider, from which Berth fetches it. Null if there is
   * none.
   */
  'people.provide-picture': writeJob(
    object({ user_id: required(id()), address: required(pictureAddressInput()) }),
    null,
  ),
}
