// Sends one message to one address: no redirects, one DNS look-up, at most 64 KiB of the answer, ten seconds.

import { createHmac } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { literal, type Message, message } from '../../shared/messages/message.ts'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import { PrivateNetworks } from '../../shared/utilities/private-networks.ts'

export type Sent = {
  /** Undefined if there was no answer. */
  status?: number
  error?: Message
  answer: string
  retryAfter?: string | undefined
  tookMs: number
}

/** The status of a receiver that wants no more messages. */
export const GONE = 410

export const isSuccess = ({ status }: Sent) => status !== undefined && status >= 200 && status < 300

// Many firewalls refuse requests without a user agent.
const USER_AGENT = 'Berth-Webhooks/1'
const ANSWER_BYTES_MAX = 64 * 1024
const ANSWER_KEPT_CHARACTERS = 1_024

type Sending = { url: string; headers: Record<string, string>; body: string }

export async function send(sending: Sending, networks: Networks, timeoutMs: number): Promise<Sent> {
  const startedMs = performance.now()
  const controller = new AbortController()
  // A limit for all of it, such as an endless DNS look-up or an answer that trickles in byte by byte.
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  const tookMs = () => Math.round(performance.now() - startedMs)
  try {
    const aborted = new Promise<never>((_resolve, reject) => {
      controller.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
    })
    const sent = await Promise.race([request(sending, networks, controller.signal), aborted])
    return { ...sent, tookMs: tookMs() }
  } catch (error) {
    const reason = controller.signal.aborted
      ? message`no answer within ${timeoutMs / 1_000} s`
      : messageOf(error)
    return { error: reason, answer: '', tookMs: tookMs() }
  } finally {
    clearTimeout(timer)
    controller.abort()
  }
}

async function request(
  { url, headers, body }: Sending,
  networks: Networks,
  signal: AbortSignal,
): Promise<Omit<Sent, 'tookMs'>> {
  const target = new URL(url)
  const checked = await networks.resolve(target.hostname)
  const { request: start } = target.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const request = start(target, {
      method: 'POST',
      signal,
      agent: false,
      headers: {
        ...headers,
        'User-Agent': USER_AGENT,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      },
      // Connects to the address that was checked.
      lookup: (_hostname, options, callback) =>
        options.all ? callback(null, [checked]) : callback(null, checked.address, checked.family),
    })
    request.once('error', reject)
    request.once('response', (response) => {
      readStart(response).then((answer) => {
        request.destroy()
        resolve({ status: response.statusCode ?? 0, answer, retryAfter: response.headers['retry-after'] })
      }, reject)
    })
    request.end(body)
  })
}

async function readStart(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= ANSWER_BYTES_MAX) break
  }
  // Postgres cannot store NUL.
  return Buffer.concat(chunks).toString('utf8').replaceAll('\0', '').slice(0, ANSWER_KEPT_CHARACTERS)
}

function messageOf(error: unknown): Message {
  if (error instanceof UnreachableHost) return error.detail
  const { code, message: text } = error as { code?: string; message?: string }
  const said = text || code
  return said ? literal(said) : message`it could not be sent`
}

const PREFIX = 'whsec_'

type Signed = { id: string; timestamp: number; body: string }

/** One signature for each valid secret. */
export function signatureHeaders({ id, timestamp, body }: Signed, secrets: string[]) {
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

/** A host that Berth does not send to. */
class UnreachableHost extends Error {
  readonly detail: Message

  constructor(detail: Message) {
    super(writeEnglish(detail))
    this.detail = detail
  }
}

type Address = { address: string; family: number }
export type Lookup = (hostname: string) => Promise<Address[]>

const systemLookup: Lookup = (hostname) => lookup(hostname, { all: true })

export class Networks {
  readonly #networks: PrivateNetworks
  readonly #lookup: Lookup

  /** `allowed` are addresses and networks: WEBHOOK_ALLOW_PRIVATE. */
  constructor(allowed: string[], lookUp: Lookup = systemLookup) {
    this.#networks = new PrivateNetworks(allowed)
    this.#lookup = lookUp
  }

  /** The address to connect to. Refused if any address is private, or else the DNS server could choose it. */
  async resolve(hostname: string): Promise<Address> {
    const plain = hostname.replace(/^\[|\]$/g, '')
    const family = isIP(plain)
    const addresses = family ? [{ address: plain, family }] : await this.#lookup(plain)
    for (const { address } of addresses)
      if (!this.#networks.isReachable(address))
        throw new UnreachableHost(message`${hostname} is in a private network`)
    const [first] = addresses
    if (!first) throw new UnreachableHost(message`${hostname} has no address`)
    return first
  }
}
