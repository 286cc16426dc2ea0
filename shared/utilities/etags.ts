// The ETag of a finished text: a hash of it, which gateway and workers make alike.
import { hash } from 'node:crypto'

export function etagOf(body: string | Buffer): string {
  return `"${hash('sha1', body, 'base64url')}"`
}
