// Asks providers for notifications of changes, and renews and ends them. Calendars are read without notifications as well, so a
// failure here never ends a round.
import { randomBytes } from 'node:crypto'
import {
  type CalendarProvider,
  isFault,
  ProviderFault,
  type Watch,
} from '../../../shared/room-calendars/providers/provider.ts'
import type { CalendarProviderName } from '../../../shared/room-calendars/room-calendars.ts'
import type { CalendarLink, CalendarTools } from '../calendar-link.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 3_600_000
const RETRY_MS = 10 * MINUTE_MS
// The limit on former watches that Berth remembers to end. Older ones end by themselves.
const FORMER_WATCHES_MAX = 5
// Providers keep the secret with the notifications: Graph takes 128 characters, Google 256.
const SECRET_BYTES = 32

/** The path to which a provider sends its notifications. */
export const getNotificationPath = (provider: CalendarProviderName): string =>
  `/calendars/notifications/${provider}`

type Watching = { tools: CalendarTools; link: CalendarLink; provider: CalendarProvider; address: string }

/** Begins or renews the notifications of a calendar, and stores when to do so again (`next_watch_at`). */
export async function keepWatch(tools: CalendarTools, link: CalendarLink): Promise<void> {
  const provider = tools.getProvider(link.provider)
  if (!provider) return
  try {
    if (tools.publicUrl === undefined) return await giveUp(tools, link)
    const address = `${tools.publicUrl}${getNotificationPath(link.provider)}`
    await beginOrRenew({ tools, link, provider, address })
  } catch (error) {
    if (!(error instanceof ProviderFault) || isFault(error, 'throttled', 'credentials_refused')) throw error
    const { kind: fault, message: reason } = error
    tools.log.warn(
      { bookableId: link.bookableId, fault, reason },
      'could not get notifications about a calendar',
    )
    await storeNextTry(tools, link, tools.now() + RETRY_MS)
  }
}

/** Without notifications, Berth asks for them again in a day. */
async function giveUp(tools: CalendarTools, link: CalendarLink): Promise<void> {
  await endWatch(tools, link)
  await storeWatch(tools, link, { watch: null, nextAtMs: tools.now() + DAY_MS })
}

async function beginOrRenew(watching: Watching): Promise<void> {
  const { tools, link } = watching
  const watch = (await renew(watching)) ?? (await begin(watching))
  if (watch === 'impossible') return giveUp(tools, link)
  await storeWatch(tools, link, { watch, nextAtMs: findRenewalTime(watch, tools.now()) })
}

/** Undefined if there is nothing to renew. */
async function renew({ link, provider, address, tools }: Watching): Promise<Watch | undefined> {
  const { watch: id, watchEndsAt: expiresAt, watchSecret } = link
  if (id === null || expiresAt === null || watchSecret === null) return undefined
  if (Date.parse(expiresAt) <= tools.now()) return undefined
  try {
    const watch = await provider.renew({ id, expiresAt }, link.calendar, address, watchSecret)
    if (watch.id !== id) {
      const replaced = { id, expiresAt, retryAt: new Date(tools.now()).toISOString() }
      link.formerWatches = [...link.formerWatches, replaced].slice(-FORMER_WATCHES_MAX)
    }
    return watch
  } catch (error) {
    if (isFault(error, 'not_found', 'gone')) return undefined
    throw error
  }
}

// The secret is stored before the call, because notifications may arrive before its answer.
async function begin({ tools, link, provider, address }: Watching): Promise<Watch | 'impossible'> {
  const secret = link.watchSecret ?? randomBytes(SECRET_BYTES).toString('base64url')
  await updateCalendar(tools, link, { watch_secret: secret })
  link.watchSecret = secret
  return provider.watch(link.calendar, address, secret)
}

// With a quarter of the time left, so that an outage of a day does not end the notifications.
function findRenewalTime({ expiresAt }: Watch, nowMs: number): number {
  const leftMs = Date.parse(expiresAt) - nowMs
  return nowMs + Math.max(RETRY_MS, leftMs * 0.75)
}

type StoredWatch = { watch: Watch | null; nextAtMs: number }

// A new watch makes the calendar due for reading, because Berth ignores notifications that arrive before it has stored the id of
// the watch. So does the end of a watch, because the calendar was read rarely while it lasted.
async function storeWatch(
  tools: CalendarTools,
  link: CalendarLink,
  { watch, nextAtMs }: StoredWatch,
): Promise<void> {
  const isOther = (watch?.id ?? null) !== link.watch
  await updateCalendar(tools, link, {
    watch: watch?.id ?? null,
    watch_ends_at: watch?.expiresAt ?? null,
    next_watch_at: new Date(nextAtMs),
    former_watches: JSON.stringify(link.formerWatches),
    ...(isOther && { next_read_at: tools.database.fn.now() }),
    ...(watch === null && { watch_secret: null }),
  })
  link.watch = watch?.id ?? null
  link.watchEndsAt = watch?.expiresAt ?? null
}

const storeNextTry = (tools: CalendarTools, link: CalendarLink, nextAtMs: number) =>
  updateCalendar(tools, link, { next_watch_at: new Date(nextAtMs) })

function updateCalendar({ database }: CalendarTools, { bookableId, lease }: CalendarLink, changes: object) {
  return database('room_calendars').where({ bookable_id: bookableId, lease }).update(changes)
}

/**
 * Ends the notifications of a calendar that was unlinked. The engine then deletes its row. Only an outage is waited for, and
 * only until the notifications end by themselves.
 */
export async function endWatch(tools: CalendarTools, link: CalendarLink): Promise<void> {
  const { watch: id, watchEndsAt: expiresAt } = link
  const provider = tools.getProvider(link.provider)
  if (!provider) return
  for (const former of listLasting(tools, link)) await tryToEnd(tools, link, provider, former)
  if (id === null || expiresAt === null || Date.parse(expiresAt) <= tools.now()) return
  const fault = await tryToEnd(tools, link, provider, { id, expiresAt })
  if (isFault(fault, 'throttled', 'unavailable')) throw fault
}

/**
 * Ends a watch that another one has replaced. One that cannot be ended is tried again later, until it ends by itself. Makes at
 * most one call, and never throws a fault of the provider.
 */
export async function endFormerWatches(tools: CalendarTools, link: CalendarLink): Promise<void> {
  const provider = tools.getProvider(link.provider)
  if (!provider || link.formerWatches.length === 0) return
  const nowMs = tools.now()
  const lasting = listLasting(tools, link)
  const due = lasting.find(({ retryAt }) => Date.parse(retryAt) <= nowMs)
  if (!due && lasting.length === link.formerWatches.length) return
  const fault = due && (await tryToEnd(tools, link, provider, due))
  const retryAt = new Date(nowMs + RETRY_MS).toISOString()
  link.formerWatches = lasting
    .filter((each) => each !== due || fault)
    .map((each) => (each === due ? { ...each, retryAt } : each))
  await updateCalendar(tools, link, { former_watches: JSON.stringify(link.formerWatches) })
}

const listLasting = (tools: CalendarTools, { formerWatches }: CalendarLink) =>
  formerWatches.filter(({ expiresAt }) => Date.parse(expiresAt) > tools.now())

/** Returns the fault of the provider, if it could not end the watch. */
async function tryToEnd(
  { log }: CalendarTools,
  { bookableId }: CalendarLink,
  provider: CalendarProvider,
  { id, expiresAt }: Watch,
): Promise<ProviderFault | undefined> {
  try {
    await provider.unwatch({ id, expiresAt })
    return undefined
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    const { kind: fault, message: reason } = error
    log.warn({ bookableId, fault, reason }, 'notifications of a calendar could not be ended')
    return error
  }
}
