// Signs messages as specified by https://www.standardwebhooks.com.
import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'

type Message = { id: string; timestamp: number; body: string }

/** One signature for each valid secret. */
export function signatureHeaders(
  { id, timestamp, body }: Message,
  secrets: string[],
): Record<string, string> {
  const signed = `${id}.${timestamp}.${body}`
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
