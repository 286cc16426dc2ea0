// Computes the ETag of a response: a hash of its text. Gateways and workers compute it in the same way.
import { hash } from 'node:crypto'

export function computeEtag(body: string | Buffer): string {
  return `"${hash('sha1', body, 'base64url')}"`
}
