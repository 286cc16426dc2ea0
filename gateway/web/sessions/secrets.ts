// Secrets of browsers. They are random, and only their hashes are stored. Everything that proves the origin
// of a request is derived from such a secret.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function isSecret(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{43}$/.test(text)
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Derives what only this browser and the gateway can compute, such as form tokens and signatures of notices. */
export function deriveSecret({ secret }: { secret: string }, purpose: string): Buffer {
  return createHmac('sha256', secret).update(purpose).digest()
}

/** Compares two secrets in constant time. */
export function areSecretsEqual(actual: string, expected: string): boolean {
  const [one, other] = [Buffer.from(actual), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
