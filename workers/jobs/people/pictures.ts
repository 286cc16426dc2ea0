// Saves pictures of people: the pictures that they upload, and the addresses of pictures at the identity provider.
import { createHash } from 'node:crypto'
import { message } from '../../../shared/messages/message.ts'
import { PORTRAIT_BYTES_MAX, PROVIDED_PICTURE_DAYS } from '../../../shared/people/pictures.ts'
import { convertPicture } from '../../pictures/convert-picture.ts'
import { deleteFile, readUploadedPicture } from '../../runtime/files.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { refuseUnlessOwner } from '../rows/personal-tokens.ts'
import { lockActiveUser } from '../users/lock-users.ts'

export const pictureHandlers: Handlers<'people.set-picture' | 'people.provide-picture'> = {
  async 'people.set-picture'(write, { user_id, file_id }) {
    refuseUnlessOwner(write, user_id)
    const { id } = await lockActiveUser(write, user_id)
    const picture = file_id === null ? null : await cropUploadedPicture(write, file_id)
    // If a person removes the picture, the row stays, so that the provider's picture does not come back.
    await write.run(
      `INSERT INTO user_pictures (user_id, source, picture, sha256) VALUES (:id, 'person', :picture, :sha256)
       ON CONFLICT (user_id) DO UPDATE SET source = 'person', picture = :picture, sha256 = :sha256, fetch_at = NULL`,
      { id, picture, sha256: picture && createHash('sha256').update(picture).digest() },
    )
    await write.audit({ action: 'people.set-picture', id })
    if (file_id !== null) await deleteFile(write.trx, file_id)
    return null
  },

  async 'people.provide-picture'(write, { user_id, address }) {
    const { id } = await lockActiveUser(write, user_id)
    await providePicture(write, id, address)
    return null
  },
}

async function cropUploadedPicture(write: Write, fileId: string): Promise<Buffer> {
  const tooLarge = message`A picture can have at most ${PORTRAIT_BYTES_MAX / 1024 / 1024} MiB.`
  const file = await readUploadedPicture(write, fileId, PORTRAIT_BYTES_MAX, tooLarge)
  return (await convertPicture('portrait', file)).data
}

/**
 * Stores the address of the user's picture at the identity provider. Schedules a fetch if the address is new or the
 * last fetch was long ago, unless the person has uploaded or removed a picture.
 */
export async function providePicture(write: Write, id: number, address: string | null): Promise<void> {
  if (address === null) {
    await write.run("DELETE FROM user_pictures WHERE user_id = ? AND source = 'provider'", [id])
    await write.run('UPDATE user_pictures SET provider_url = NULL, fetch_at = NULL WHERE user_id = ?', [id])
    return
  }
  await write.run(
    `INSERT INTO user_pictures AS present (user_id, source, provider_url, fetch_at)
     VALUES (:id, 'provider', :address, now())
     ON CONFLICT (user_id) DO UPDATE SET provider_url = :address, fetch_tries = 0,
       fetch_at = CASE WHEN present.source = 'provider' THEN now() END
     WHERE present.provider_url IS DISTINCT FROM :address
       OR present.fetched_at < now() - interval '${PROVIDED_PICTURE_DAYS} days'`,
    { id, address },
  )
}
