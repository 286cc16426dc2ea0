// Keeps the calendars of rooms and Berth in step: leases the calendars that are due, and works on each of them in rounds. A slow
// or faulty calendar never holds up another one.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { connectDatabase } from '../../../shared/database/database.ts'
import {
  OpenProviders,
  type ProviderOptions,
} from '../../../shared/room-calendars/providers/open-providers.ts'
import type { CalendarSettings } from '../../../shared/settings/calendars.ts'
import type { Config } from '../../../shared/settings/config.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, startPolling } from '../../../shared/utilities/poller.ts'
import type { CalendarLink, CalendarTools } from '../calendar-link.ts'
import { followOutbox } from '../writing/follow-outbox.ts'
import { JobQueue, type QueueSettings } from './job-queue.ts'
import {
  getLeaseId,
  LEASE_RENEWAL_MS,
  type LeasedCalendar,
  LeaseTime,
  leaseDueCalendars,
  renewLeases,
} from './leases.ts'
import { listRooms, noteProviders, takeDueListings } from './list-rooms.ts'
import { Pauses } from './pauses.ts'
import { APPLY_WAIT_MS } from './queue-entries.ts'
import { type RoundTools, runRound } from './round.ts'

const POLL_EVERY_MS = 500
// The polling interval while calendars are due.
const BUSY_POLL_EVERY_MS = 50
const CALENDARS_AT_ONCE = 20
// Providers allow a handful of requests at once for one application.
const CALENDARS_PER_PROVIDER = 8
const LISTING_EVERY_MS = 2_000
const CHORES_EVERY_MS = 60_000
// A round may wait longer for an answer of its provider. Its lease then expires.
const STOP_MS_MAX = 15_000
/** The limit on connections to Postgres. The `doctor` command also counts these connections. */
export const CALENDAR_CONNECTIONS_MAX = 5
// The limits of the other work in this process (workers/hooks/hooks.ts), because it delays the change feed in the same way.
const STATEMENT_TIMEOUT_MS = 20_000
const TRANSACTION_PAUSE_MS_MAX = 5_000
const SOCKET_IDLE_TIMEOUT_MS = 30_000

export type EngineSettings = QueueSettings &
  Pick<Config, 'databaseUrl' | 'publicUrl' | 'peoplePages'> & { calendars: CalendarSettings }
export type EngineOptions = ProviderOptions & { now?: () => number; applyWaitMs?: number }

/** Starts to work on the calendars of rooms. */
export function startCalendars(config: EngineSettings, log: Log, options: EngineOptions = {}): Poller {
  return new Engine(config, log, options)
}

type RunningRound = { link: CalendarLink; done: Promise<void>; leaseTime: LeaseTime }

class Engine implements Poller {
  readonly #database: Knex
  readonly #log: Log
  readonly #settings: CalendarSettings
  readonly #providers: OpenProviders
  readonly #queue: JobQueue
  readonly #round: RoundTools
  readonly #pollers: Poller[]
  readonly #rounds = new Map<string, RunningRound>()
  readonly #listings = new Set<Promise<void>>()
  readonly #pauses = new Pauses()
  #isStopping = false

  constructor(config: EngineSettings, log: Log, options: EngineOptions) {
    this.#log = log
    this.#settings = config.calendars
    this.#database = connectDatabase(config.databaseUrl, {
      applicationName: 'berth-hooks',
      poolName: 'calendars',
      connectionsMax: CALENDAR_CONNECTIONS_MAX,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: TRANSACTION_PAUSE_MS_MAX,
      idleInTransactionTimeoutMs: TRANSACTION_PAUSE_MS_MAX,
      socketIdleTimeoutMs: SOCKET_IDLE_TIMEOUT_MS,
    })
    this.#providers = new OpenProviders(config.calendars, options)
    this.#queue = new JobQueue(config, this.#database, log)
    const tools: CalendarTools = {
      database: this.#database,
      log,
      settings: config.calendars,
      getProvider: this.#providers.get,
      publicUrl: config.publicUrl?.startsWith('https:') ? config.publicUrl : undefined,
      peopleUrl: config.peoplePages ? config.publicUrl : undefined,
      now: options.now ?? Date.now,
    }
    this.#round = {
      tools,
      jobs: {
        open: () => this.#queue.open(),
        inTurn: (work) => this.#queue.inTurn(work),
        applyWaitMs: options.applyWaitMs ?? APPLY_WAIT_MS,
        baseUrl: config.publicUrl ?? '',
        appliesRules: config.calendars.appliesRules,
      },
      queueFaults: new FaultLog(log, 'changes of calendars are queued again'),
      pauses: this.#pauses,
    }
    this.#pollers = this.#startPollers(tools)
    log.info({ providers: this.#providers.names }, 'keeping calendars in step')
  }

  #startPollers(tools: CalendarTools): Poller[] {
    const poll = (everyMs: number, what: string, work: () => Promise<number | undefined>) =>
      startPolling({
        everyMs,
        faults: new FaultLog(this.#log, `${what} again`),
        fault: `not ${what}`,
        isFirstAtOnce: true,
        work,
      })
    return [
      poll(POLL_EVERY_MS, 'working on calendars', () => this.#startDueRounds()),
      poll(POLL_EVERY_MS, 'following changes of rooms with a calendar', async () =>
        (await followOutbox(tools, () => this.#isStopping)) ? BUSY_POLL_EVERY_MS : POLL_EVERY_MS,
      ),
      poll(LEASE_RENEWAL_MS, 'renewing leases of calendars', () => this.#renewLeases()),
      poll(CHORES_EVERY_MS, 'noting the providers of calendars', () => this.#doChores()),
      poll(LISTING_EVERY_MS, 'listing the rooms of providers', () => this.#startDueListings()),
    ]
  }

  /** Starts a round for each calendar that is due, as far as the limits allow. */
  async #startDueRounds(): Promise<number> {
    const limit = CALENDARS_AT_ONCE - this.#rounds.size
    if (limit <= 0 || this.#isStopping) return BUSY_POLL_EVERY_MS
    const sinceMs = performance.now()
    const leased = await leaseDueCalendars(this.#database, this.#listOpen(), this.#providers.others, {
      limit,
      pollSeconds: this.#settings.pollSeconds,
    })
    for (const each of leased) this.#startRound(each, sinceMs)
    return leased.length > 0 ? BUSY_POLL_EVERY_MS : POLL_EVERY_MS
  }

  #listOpen() {
    const links = [...this.#rounds.values()].map(({ link }) => link)
    return this.#providers.names
      .filter((name) => !this.#pauses.isPaused(name))
      .map((name) => ({
        name,
        free: CALENDARS_PER_PROVIDER - links.filter(({ provider }) => provider === name).length,
      }))
      .filter(({ free }) => free > 0)
  }

  #startRound({ link: leased, failures }: LeasedCalendar, sinceMs: number) {
    const id = getLeaseId(leased)
    const leaseTime = new LeaseTime(sinceMs)
    const link = { ...leased, mustEnd: () => this.#isStopping || leaseTime.isOver() }
    const round: RunningRound = { link, leaseTime, done: Promise.resolve() }
    this.#rounds.set(id, round)
    round.done = runRound(this.#round, link, failures).finally(() => this.#rounds.delete(id))
  }

  async #renewLeases(): Promise<undefined> {
    // Leaves out calendars that somebody has unlinked: their leases cannot be renewed, and last longer than it takes to end them.
    const rounds = [...this.#rounds].filter(([, { link }]) => !link.isEnding)
    if (rounds.length === 0) return
    const sinceMs = performance.now()
    const renewed = await renewLeases(
      this.#database,
      rounds.map(([, { link }]) => link),
    )
    for (const [id, { leaseTime }] of rounds) leaseTime.renew(renewed.get(id), sinceMs)
  }

  async #doChores(): Promise<undefined> {
    await noteProviders(this.#database, this.#providers.names)
    // The calendar of a deleted room ends as if somebody had unlinked it.
    await this.#database.raw(
      `UPDATE room_calendars SET is_ending = true WHERE bookable_id = ANY (ARRAY(
         SELECT bookable_id FROM room_calendars JOIN bookables ON bookables.id = bookable_id
         WHERE deleted_at IS NOT NULL AND NOT is_ending ORDER BY bookable_id FOR NO KEY UPDATE OF room_calendars))`,
    )
  }

  async #startDueListings(): Promise<undefined> {
    for (const name of await takeDueListings(this.#database, this.#providers.names)) {
      const provider = this.#providers.get(name)
      if (!provider) continue
      const listing = listRooms(this.#database, this.#log, provider)
        .catch((error) => this.#log.debug({ err: error }, 'the rooms of a provider could not be stored'))
        .finally(() => this.#listings.delete(listing))
      this.#listings.add(listing)
    }
  }

  async stop() {
    this.#isStopping = true
    await Promise.all(this.#pollers.map((poller) => poller.stop()))
    const ended = Promise.allSettled([
      ...[...this.#rounds.values()].map(({ done }) => done),
      ...this.#listings,
    ])
    const stopping = new AbortController()
    await Promise.race([
      ended,
      wait(STOP_MS_MAX, undefined, { signal: stopping.signal }).catch(() => undefined),
    ])
    stopping.abort()
    this.#providers.close()
    await this.#queue.close()
    await this.#database.destroy()
  }
}
