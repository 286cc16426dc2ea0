// The UIDs of entries as Berth stores them.
import { createHash } from 'node:crypto'
import { toStorableText } from '../../utilities/texts.ts'

// RFC 5545 limits no UID, but an index of Postgres takes no text of more than 2,704 bytes.
const UID_CHARACTERS_MAX = 500
// The occurrences of a meeting at Microsoft 365 have UIDs that differ only in their first 40 characters.
const KEPT_CHARACTERS = 40

/** Returns the UID, or a digest in place of the end of a long one. The same UID gives the same text at every provider. */
export function toStoredUid(uid: string): string {
  if (uid.length <= UID_CHARACTERS_MAX) return toStorableText(uid)
  const digest = createHash('sha256').update(uid.slice(KEPT_CHARACTERS)).digest('hex')
  return toStorableText(uid.slice(0, KEPT_CHARACTERS)) + digest
}
