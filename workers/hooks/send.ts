// Sends one message to one address. Follows no redirects, looks up DNS once, reads at most 64 KiB of the response, and
// takes at most ten seconds.

import { createHmac } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { literalMessage, type Message, message } from '../../shared/messages/message.ts'
import { type ReachableNetworks, UnreachableHost } from '../../shared/networks/reachable-networks.ts'

export type SendResult = {
  /** The status of the response. Undefined if the receiver did not respond. */
  status?: number
  error?: Message
  /** Whether the receiver may have got the message although it did not respond. */
  isMaybeReceived?: boolean
  answer: string
  retryAfter?: string | undefined
  tookMs: number
}

/** The status with which a receiver says that it wants no more messages. */
export const GONE_STATUS = 410

export const isDelivered = ({ status }: SendResult) => status !== undefined && status >= 200 && status < 300

// The user agent of deliveries. Many firewalls refuse requests without one.
const USER_AGENT = 'Berth-Webhooks/1'
const ANSWER_BYTES_MAX = 64 * 1024
const KEPT_ANSWER_CHARACTERS_MAX = 1_024

type SendRequest = { url: string; headers: Record<string, string>; body: string | Buffer }

export async function sendDelivery(
  sending: SendRequest,
  networks: ReachableNetworks,
  timeoutMs: number,
): Promise<SendResult> {
  const startedMs = performance.now()
  const controller = new AbortController()
  // Limits the total time, even if the DNS look-up never ends or the response arrives one byte at a time.
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  const tookMs = () => Math.round(performance.now() - startedMs)
  const progress = { isConnected: false }
  try {
    const aborted = new Promise<never>((_resolve, reject) => {
      controller.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
    })
    const sent = await Promise.race([request(sending, networks, controller.signal, progress), aborted])
    return { ...sent, tookMs: tookMs() }
  } catch (error) {
    const reason = controller.signal.aborted
      ? message`no answer within ${timeoutMs / 1_000} s`
      : describeError(error)
    return { error: reason, isMaybeReceived: progress.isConnected, answer: '', tookMs: tookMs() }
  } finally {
    clearTimeout(timer)
    controller.abort()
  }
}

async function request(
  { url, headers, body }: SendRequest,
  networks: ReachableNetworks,
  signal: AbortSignal,
  progress: { isConnected: boolean },
): Promise<Omit<SendResult, 'tookMs'>> {
  const target = new URL(url)
  const checked = await networks.resolve(target.hostname)
  const { request: start } = target.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const request = start(target, {
      method: 'POST',
      signal,
      agent: false,
      headers: {
        'User-Agent': USER_AGENT,
        'Content-Type': 'application/json',
        ...headers,
        'Content-Length': Buffer.byteLength(body),
      },
      // Connects to the address that was checked, without looking up the host again.
      lookup: (_hostname, options, callback) =>
        options.all ? callback(null, [checked]) : callback(null, checked.address, checked.family),
    })
    request.once('error', reject)
    // Before this event, no byte of the message leaves.
    request.once('socket', (socket) =>
      socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        progress.isConnected = true
      }),
    )
    request.once('response', (response) => {
      readAnswerStart(response).then((answer) => {
        request.destroy()
        resolve({ status: response.statusCode ?? 0, answer, retryAfter: response.headers['retry-after'] })
      }, reject)
    })
    request.end(body)
  })
}

async function readAnswerStart(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= ANSWER_BYTES_MAX) break
  }
  // Removes NUL, which Postgres cannot store.
  return Buffer.concat(chunks).toString('utf8').replaceAll('\0', '').slice(0, KEPT_ANSWER_CHARACTERS_MAX)
}

function describeError(error: unknown): Message {
  if (error instanceof UnreachableHost) return error.detail
  const { code, message: text } = error as { code?: string; message?: string }
  const said = text || code
  return said ? literalMessage(said) : message`it could not be sent`
}

const SECRET_PREFIX = 'whsec_'

type SignedMessage = { id: string; timestamp: number; body: string }

/** Returns the headers of a message. They contain one signature for each valid secret. */
export function createSignatureHeaders({ id, timestamp, body }: SignedMessage, secrets: string[]) {
  const signed = `${id}.${timestamp}.${body}`
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
