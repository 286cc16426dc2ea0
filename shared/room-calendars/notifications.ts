// Reads the notifications of Microsoft 365 and Google, and checks that the sender knows the secret of the watch.
import { createHash, timingSafeEqual } from 'node:crypto'

/** The limit on the body of a notification. A request of Microsoft 365 has up to some hundred notices of 500 bytes. */
export const NOTIFICATION_BYTES_MAX = 256 * 1024

/** An HTTP request that claims to come from the provider. */
export type IncomingRequest = {
  query: URLSearchParams
  /** Header names are in small letters. */
  headers: Record<string, string | string[] | undefined>
  body: string
}
/**
 * `changed`: the calendar may have changed. `missed`: notifications were lost, so the calendar must be looked at.
 * `ending`: the watch ends soon unless it is renewed. `ended`: the provider has ended the watch.
 */
export type Notice = { watch: string; event: 'changed' | 'missed' | 'ending' | 'ended' }
export type ReadNotification =
  /** The provider checks the address: answer 200 with exactly this text, as text/plain. */
  | { kind: 'validation'; reply: string }
  /** `forged` counts notices without the right secret, which are left out. */
  | { kind: 'notices'; notices: Notice[]; forged: number }
  | { kind: 'malformed' }

// Microsoft sends up to some hundred notices in one request.
const NOTICES_MAX = 1_000

// The ids of providers are far shorter. Google's also names the watched resource.
const WATCH_CHARACTERS_MAX = 1_000

type FindSecret = (watch: string) => string | undefined

const LIFECYCLE_EVENTS: Record<string, Notice['event']> = {
  missed: 'missed',
  reauthorizationRequired: 'ending',
  subscriptionRemoved: 'ended',
}

type GraphNotice = { subscriptionId?: unknown; clientState?: unknown; lifecycleEvent?: unknown }

export function readMicrosoftNotification(
  { query, body }: IncomingRequest,
  findSecret: FindSecret,
): ReadNotification {
  const reply = query.get('validationToken')
  if (reply !== null) return { kind: 'validation', reply }
  const { value } = (parseJson(body) ?? {}) as { value?: unknown }
  if (!Array.isArray(value) || value.length > NOTICES_MAX) return { kind: 'malformed' }
  const notices = new Map<string, Notice>()
  let forged = 0
  for (const each of value) {
    const { subscriptionId, clientState, lifecycleEvent } = (each ?? {}) as GraphNotice
    if (!isWatchId(subscriptionId) || !isSecret(clientState, findSecret(subscriptionId))) {
      forged++
      continue
    }
    const event = typeof lifecycleEvent === 'string' ? LIFECYCLE_EVENTS[lifecycleEvent] : 'changed'
    // An event that Microsoft adds later may mean that something was missed.
    const notice: Notice = { watch: subscriptionId, event: event ?? 'missed' }
    notices.set(`${notice.event} ${notice.watch}`, notice)
  }
  return { kind: 'notices', notices: [...notices.values()], forged }
}

/** The id of a Google watch names the channel and what it watches, because ending it takes both. */
export const createGoogleWatchId = (channel: string, resource: string) => `${channel} ${resource}`

export function readGoogleNotification(
  { headers }: IncomingRequest,
  findSecret: FindSecret,
): ReadNotification {
  const [channel, token, resource, state] = [
    'channel-id',
    'channel-token',
    'resource-id',
    'resource-state',
  ].map((name) => headers[`x-goog-${name}`])
  if (typeof channel !== 'string' || typeof resource !== 'string' || typeof state !== 'string')
    return { kind: 'malformed' }
  const watch = createGoogleWatchId(channel, resource)
  if (!isWatchId(watch) || !isSecret(token, findSecret(watch)))
    return { kind: 'notices', notices: [], forged: 1 }
  // The first message of a channel, `sync`, says that it works. It may arrive before the answer to `watch`.
  const notices: Notice[] = state === 'sync' ? [] : [{ watch, event: 'changed' }]
  return { kind: 'notices', notices, forged: 0 }
}

// Anybody can send an id, and Postgres refuses a statement whose text has a NUL character.
const isWatchId = (id: unknown): id is string =>
  typeof id === 'string' && id.length <= WATCH_CHARACTERS_MAX && !id.includes('\0')

// Compares digests, which have the same length, in a time that says nothing about the secret.
function isSecret(given: unknown, secret: string | undefined): boolean {
  if (typeof given !== 'string' || !secret) return false
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
