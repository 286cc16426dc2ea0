// Verifies and signs webhooks as Standard Webhooks specifies, with Web Crypto.
import type { WebhookMessage } from './generated/schemas.ts'

/** Thrown if the request is not a valid delivery of this webhook. Respond to such a request with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

type HeaderSource = Headers | Record<string, string | readonly string[] | undefined>

export type Delivery = {
  /** The raw body of the request, before it is parsed. */
  body: string | Uint8Array
  headers: HeaderSource
  /** The secret of the webhook, such as `whsec_…`, or several secrets while you rotate it. */
  secret: string | readonly string[]
  /** The maximum age of a delivery. Defaults to 300 s. */
  toleranceSeconds?: number
  now?: () => number
}

const TOLERANCE_SECONDS = 300
const SECRET_PREFIX = 'whsec_'
const HMAC_ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }

/** Verifies that the delivery was signed recently with one of the secrets, and returns its message. Otherwise
 * throws a `WebhookError`. */
export async function verifyWebhook(delivery: Delivery): Promise<WebhookMessage> {
  const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now } = delivery
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    readHeader(delivery.headers, name),
  ) as [string, string, string]
  if (!/^\d+$/.test(timestamp) || Math.abs(now() / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError('The delivery is too old, or the clock of this machine is wrong.')
  const body = typeof delivery.body === 'string' ? delivery.body : new TextDecoder().decode(delivery.body)
  const signed = encodeUtf8(`${id}.${timestamp}.${body}`)
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

/** Returns the headers with which the server would send a message, for testing a receiver. */
export async function signWebhook(message: { id: string; body: string; secret: string; now?: () => number }) {
  const { id, body, secret, now = Date.now } = message
  const timestamp = String(Math.floor(now() / 1_000))
  const key = await importKey(secret, 'sign')
  const signature = new Uint8Array(
    await crypto.subtle.sign('HMAC', key, encodeUtf8(`${id}.${timestamp}.${body}`)),
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
  }
}

function readHeader(headers: HeaderSource, name: string): string {
  const value =
    headers instanceof Headers ? headers.get(name) : (headers[name] ?? headers[capitalizeWords(name)])
  if (typeof value !== 'string' || value === '') throw new WebhookError(`The header ${name} is missing.`)
  return value
}

const capitalizeWords = (name: string) => name.replace(/\b\w/g, (letter) => letter.toUpperCase())

const encodeUtf8 = (text: string) => new TextEncoder().encode(text)

function importKey(secret: string, use: 'sign' | 'verify'): Promise<CryptoKey> {
  const bytes = secret.startsWith(SECRET_PREFIX)
    ? decodeBase64(secret.slice(SECRET_PREFIX.length))
    : undefined
  if (!bytes?.length)
    throw new WebhookError(`The secret must begin with ${SECRET_PREFIX} and continue in Base64.`)
  return crypto.subtle.importKey('raw', bytes, HMAC_ALGORITHM, false, [use])
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
