// A push service for tests: a real server that checks each request by RFC 8030 and RFC 8292, and browsers that
// decrypt their messages by RFC 8291, with Node's own cryptography.
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import webPush from 'web-push'
import { use } from '../use.ts'

export const PUSH_KEYS = webPush.generateVAPIDKeys()
export const PUSH_ENVIRONMENT = {
  PUSH_PUBLIC_KEY: PUSH_KEYS.publicKey,
  PUSH_PRIVATE_KEY: PUSH_KEYS.privateKey,
  PUSH_CONTACT: 'mailto:it@example.com',
}

export type ReceivedPush = {
  /** What the browser decrypts. */
  shown: { title: string; body: string; path: string; tag: string; language: string }
  headers: IncomingMessage['headers']
}

type PushAnswer = { status: number; headers?: Record<string, string> } | 'silent'

export type PushService = {
  url: string
  /** The answer to the next requests, or undefined to accept them. */
  answer: PushAnswer | undefined
  /** The number of requests so far. */
  asked: number
  /** What was wrong with requests, each in one sentence. */
  problems: string[]
  subscribe(): TestSubscription
  close(): Promise<void>
}

export type TestSubscription = {
  endpoint: string
  p256dh: string
  auth: string
  received: ReceivedPush[]
  /** Ends the subscription, as if the person had uninstalled the browser. */
  end(): void
}

// The limit of the usual push services (RFC 8030, section 7.2).
const BODY_BYTES_MAX = 4_096
const PUSH_SERVICE_SECONDS_MAX = 24 * 3_600

export const usePushService = (): PushService =>
  use(startPushService, { close: (service) => service.close() })

export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, { decrypt(body: Buffer): string; subscription: TestSubscription }>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    service.asked++
    const { answer } = service
    if (answer === 'silent') return
    const body = Buffer.concat(chunks)
    if (body.length > BODY_BYTES_MAX) return response.writeHead(413).end()
    const browser = browsers.get(request.url ?? '')
    const problem = findProblem(request, service.url)
    if (problem) service.problems.push(problem)
    if (problem) return response.writeHead(403).end(problem)
    if (!browser) return response.writeHead(410).end()
    if (answer) return response.writeHead(answer.status, answer.headers).end()
    const shown = JSON.parse(browser.decrypt(body))
    browser.subscription.received.push({ shown, headers: request.headers })
    response.writeHead(201, { Location: `${service.url}/messages/1` }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service: PushService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: undefined,
    asked: 0,
    problems: [],
    subscribe() {
      const path = `/push/${randomBytes(16).toString('base64url')}`
      const { decrypt, ...keys } = createBrowserKeys()
      const end = () => browsers.delete(path)
      const subscription = { endpoint: service.url + path, ...keys, received: [], end }
      browsers.set(path, { decrypt, subscription })
      return subscription
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return service
}

/** Returns what a push service would refuse about the request. */
function findProblem({ method, headers }: IncomingMessage, origin: string): string | undefined {
  if (method !== 'POST') return `The method is ${method}.`
  if (headers['content-encoding'] !== 'aes128gcm') return 'The body is not encrypted as aes128gcm.'
  if (!/^\d+$/.test(String(headers['ttl']))) return 'There is no TTL.'
  if (!/^[\w-]{1,32}$/.test(String(headers['topic']))) return 'The topic is malformed.'
  if (!['normal', 'high'].includes(String(headers['urgency']))) return 'The urgency is malformed.'
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(headers.authorization ?? '') ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  if (key !== PUSH_KEYS.publicKey) return 'The key is not the one of the subscription.'
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const jwk = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  const isSigned = verify(
    'sha256',
    signed,
    { key: jwk, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) return 'The signature is wrong.'
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  if (aud !== origin) return `The token is for ${aud}.`
  const seconds = exp - Date.now() / 1_000
  if (!(seconds > 0 && seconds <= PUSH_SERVICE_SECONDS_MAX)) return `The token expires in ${seconds} s.`
  return sub === PUSH_ENVIRONMENT.PUSH_CONTACT ? undefined : `The contact is ${sub}.`
}

/** Creates the keys of a browser, and the decryption of RFC 8291 (section 3.4) with them. */
function createBrowserKeys() {
  const own = createECDH('prime256v1')
  own.generateKeys()
  const auth = randomBytes(16)
  const derive = (key: Buffer, salt: Buffer, info: string | Buffer, bytes: number) =>
    Buffer.from(hkdfSync('sha256', key, salt, info, bytes))
  return {
    p256dh: own.getPublicKey('base64url'),
    auth: auth.toString('base64url'),
    decrypt(body: Buffer): string {
      const [salt, size, idLength] = [body.subarray(0, 16), body.readUInt32BE(16), body.readUInt8(20)]
      const theirs = body.subarray(21, 21 + idLength)
      const record = body.subarray(21 + idLength)
      if (record.length > size) throw new Error('The message has more than one record')
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), theirs])
      const secret = derive(own.computeSecret(theirs), auth, info, 32)
      const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
      const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12)
      const decipher = createDecipheriv('aes-128-gcm', key, nonce)
      decipher.setAuthTag(record.subarray(-16))
      const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
      // The last record ends with 2 and zeros.
      return plain.subarray(0, plain.lastIndexOf(2)).toString()
    },
  }
}
