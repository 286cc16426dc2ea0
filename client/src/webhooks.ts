// Verifies and signs webhooks as Standard Webhooks specifies, with Web Crypto.
import type { WebhookMessage } from './generated/schemas.ts'

/** The request is not a delivery of this webhook: answer 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

type HeaderSource = Headers | Record<string, string | readonly string[] | undefined>

export type Delivery = {
  /** As it came, before it is parsed. */
  body: string | Uint8Array
  headers: HeaderSource
  /** `whsec_…`; several while you change from one to another. */
  secret: string | readonly string[]
  /** How old a delivery may be; default 300 s. */
  toleranceSeconds?: number
  now?: () => number
}

const TOLERANCE_SECONDS = 300
const PREFIX = 'whsec_'
const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/** The message of a delivery, if one of the secrets signed it a short time ago; otherwise throws a `WebhookError`. */
export async function verifyWebhook(delivery: Delivery): Promise<WebhookMessage> {
  const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now } = delivery
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    readHeader(delivery.headers, name),
  ) as [string, string, string]
  if (!/^\d+$/.test(timestamp) || Math.abs(now() / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError('The delivery is too old, or the clock of this machine is wrong.')
  const body = typeof delivery.body === 'string' ? delivery.body : new TextDecoder().decode(delivery.body)
  const signed = encode(`${id}.${timestamp}.${body}`)
  const found = signatures.split(' ').filter((each) => each.startsWith('v1,'))
  for (const secret of [delivery.secret].flat()) {
    const key = await importKey(secret, 'verify')
    for (const signature of found) {
      const bytes = decodeBase64(signature.slice('v1,'.length))
      if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return JSON.parse(body)
    }
  }
  throw new WebhookError('The signature is wrong: the secret is another one, or the body was changed.')
}

/** The headers of a delivery, as the server signs it: for tests of a receiver. */
export async function signWebhook(message: { id: string; body: string; secret: string; now?: () => number }) {
  const { id, body, secret, now = Date.now } = message
  const timestamp = String(Math.floor(now() / 1_000))
  const key = await importKey(secret, 'sign')
  const signature = new Uint8Array(
    await crypto.subtle.sign('HMAC', key, encode(`${id}.${timestamp}.${body}`)),
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
  }
}

function readHeader(headers: HeaderSource, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : (headers[name] ?? headers[capitalize(name)])
  if (typeof value !== 'string' || value === '') throw new WebhookError(`The header ${name} is missing.`)
  return value
}

const capitalize = (name: string) => name.replace(/\b\w/g, (letter) => letter.toUpperCase())

const encode = (text: string) => new TextEncoder().encode(text)

function importKey(secret: string, use: 'sign' | 'verify'): Promise<CryptoKey> {
  const bytes = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : undefined
  if (!bytes?.length) throw new WebhookError(`The secret must begin with ${PREFIX} and continue in Base64.`)
  return crypto.subtle.importKey('raw', bytes, HMAC, false, [use])
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
