// Makes the ETag of a finished text: a hash, which gateway and workers compute in the same way.
import { hash } from 'node:crypto'

export function etagOf(body: string | Buffer): string {
  return `"${hash('sha1', body, 'base64url')}"`
}
