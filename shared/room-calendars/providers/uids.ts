// The UIDs of entries as Berth stores them.
import { createHash } from 'node:crypto'
import { toStorableText } from '../../utilities/texts.ts'

// RFC 5545 does not limit the length of UIDs, but an index of Postgres accepts at most 2,704 bytes.
const UID_CHARACTERS_MAX = 500
// The occurrences of a meeting at Microsoft 365 have UIDs that differ only in their first 40 characters.
const KEPT_CHARACTERS = 40

/** Returns the UID. Replaces the end of a long one with a digest, which is the same at every provider. */
export function toStoredUid(uid: string): string {
  if (uid.length <= UID_CHARACTERS_MAX) return toStorableText(uid)
  const digest = createHash('sha256').update(uid.slice(KEPT_CHARACTERS)).digest('hex')
  return toStorableText(uid.slice(0, KEPT_CHARACTERS)) + digest
}
