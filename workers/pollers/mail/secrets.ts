// Creates the secrets of links in mails. A mail contains the secret; the database contains only its hash.
import { createHash, randomBytes } from 'node:crypto'

export function createSecret(): { secret: string; hash: Buffer } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, hash: createHash('sha256').update(secret).digest() }
}
