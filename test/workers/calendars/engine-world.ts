// Runs the engine of room calendars against a test server, and reads what it stored.
import { expect } from 'chai'
import type { Period } from '../../../shared/room-calendars/providers/provider.ts'
import type { SeenEntry } from '../../../shared/room-calendars/room-calendars.ts'
import type { CalendarSettings } from '../../../shared/settings/calendars.ts'
import { createLog, type Log } from '../../../shared/utilities/log.ts'
import type { Poller } from '../../../shared/utilities/poller.ts'
import {
  type EngineOptions,
  type EngineSettings,
  startCalendars,
} from '../../../workers/calendars/engine/engine.ts'
import { RADICALE_PASSWORD, RADICALE_USER } from '../../support/calendars/caldav-servers.ts'
import { testPrivateKey } from '../../support/calendars/test-keys.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
} from '../../support/factories.ts'
import { eventually } from '../../support/time.ts'
import type { World } from '../../support/world.ts'
import { openCalDav, openGoogle, openMicrosoft, type ProviderWorld, ZONE } from './provider-worlds.ts'

export const OPEN_WORLDS = { microsoft: openMicrosoft, google: openGoogle, caldav: openCalDav }
export type AnyWorld = Awaited<ReturnType<(typeof OPEN_WORLDS)[keyof typeof OPEN_WORLDS]>>

/** The settings with which a process reaches the provider of a test. */
export function createSettings(
  { provider, proxy }: ProviderWorld,
  { secret = 'a-secret-of-the-app', password = RADICALE_PASSWORD, pollSeconds = 3_600 } = {},
): CalendarSettings {
  const { name } = provider
  return {
    microsoft:
      name === 'microsoft'
        ? {
            credentials: { tenant: 'tenant', clientId: 'client', clientSecret: secret },
            graphUrl: proxy.url,
            loginUrl: proxy.url,
          }
        : undefined,
    google:
      name === 'google'
        ? {
            credentials: {
              clientEmail:
                secret === 'a-secret-of-the-app'
                  ? 'berth@project.iam.gserviceaccount.com'
                  : 'somebody@else.test',
              privateKey: testPrivateKey,
              privateKeyId: 'key1',
              subject: 'admin@corp.test',
            },
          }
        : undefined,
    caldav: name === 'caldav' ? { url: `${proxy.url}/`, user: RADICALE_USER, password } : undefined,
    allowPrivate: ['127.0.0.1'],
    pollSeconds,
    appliesRules: false,
    usesOrganizerMailboxes: false,
  }
}

// In most tests no worker applies anything, so waiting for it would take long.
const APPLY_WAIT_MS = 200

export type Entry = {
  id: number
  bookable_id: number
  entry_id: string | null
  series: string | null
  key: string | null
  event_id: number | null
  booking_id: number | null
  seen: SeenEntry
  base: object | null
  reading: number
  revision: number
  pending_since: string | null
  queued_at: string | null
  tries: number
  conflict: { message: { text: string } } | null
}

type StartOptions = {
  log?: Log
  options?: EngineOptions
  config?: Partial<EngineSettings>
  settings?: Parameters<typeof createSettings>[1]
}

/** Helpers for a world with calendars of one provider. */
export class CalendarEngine {
  readonly #world: World
  readonly #provider: ProviderWorld
  #room = 0
  readonly #running = new Set<Poller>()

  constructor(world: World, provider: ProviderWorld) {
    this.#world = world
    this.#provider = provider
  }

  get database() {
    return this.#world.database
  }

  /** Links a room, by default to the calendar of the test's provider. Returns the id of the room. */
  async link(row: Record<string, unknown> = {}): Promise<number> {
    const building_id = await createBuilding(this.database, { timezone: ZONE })
    const location_id = await createLocation(this.database, { building_id })
    this.#room = await createBookable(this.database, { location_id, type: 1 })
    const { provider, calendar } = this.#provider
    await this.database('room_calendars').insert({
      bookable_id: this.#room,
      provider: provider.name,
      calendar: calendar.id,
      // Most tests write nothing to the calendar.
      next_write_at: null,
      ...row,
    })
    return this.#room
  }

  /** Creates an event that holds the room, and returns its id. */
  async book(name: string, { from, to }: Period, room = this.#room): Promise<number> {
    const event_id = await createEvent(this.database, { name, from, to })
    await createBooking(this.database, { from, to, event_id, bookable_id: room })
    return event_id
  }

  /** Starts the engine as the process of hooks does. */
  start({ log = createLog('test', 'silent'), options, config, settings }: StartOptions = {}): Poller {
    const { provider, proxy } = this.#provider
    const engine = startCalendars(
      { ...this.#world.config, ...config, calendars: createSettings(this.#provider, settings) },
      log,
      { applyWaitMs: APPLY_WAIT_MS, ...(provider.name === 'google' && { googleUrl: proxy.url }), ...options },
    )
    this.#running.add(engine)
    return engine
  }

  async stop() {
    await Promise.all([...this.#running].map((engine) => engine.stop()))
    this.#running.clear()
  }

  async findLink(room = this.#room) {
    return this.database('room_calendars').where({ bookable_id: room }).first()
  }

  /** The entries of a room that are not gone, in the order of their times. */
  async list(room = this.#room): Promise<Entry[]> {
    return (await this.listAll(room)).filter(({ seen }) => !seen?.isGone)
  }

  listAll(room = this.#room): Promise<Entry[]> {
    return this.database('calendar_entries').where({ bookable_id: room }).orderByRaw('lower(during), id')
  }

  /** Waits until the entries of a room have these titles, in the order of their times. */
  waitForTitles(titles: string[], room = this.#room): Promise<Entry[]> {
    return eventually(async () => {
      const entries = await this.list(room)
      expect(entries.map(({ seen }) => seen.title)).to.deep.equal(titles)
      return entries
    })
  }

  /** Makes the calendar due, as a notification does. */
  async notify(room = this.#room) {
    await this.database('room_calendars')
      .where({ bookable_id: room })
      .update({ next_read_at: new Date(0) })
  }

  /** Takes note of all entries as the job that applies them does. */
  async apply(room = this.#room) {
    await this.database('calendar_entries')
      .where({ bookable_id: room })
      .whereNotNull('pending_since')
      .update({ base: this.database.ref('seen'), pending_since: null, queued_at: null })
  }

  /** Waits until the calendar was read again, and its round has ended. */
  async readAgain(room = this.#room) {
    await this.notify(room)
    await eventually(async () => {
      const { next_read_at, lease } = await this.findLink(room)
      expect(Date.parse(next_read_at)).to.be.above(0)
      expect(lease).to.equal(null)
    })
  }
}
