// Edits two rooms in Berth and in their calendars at random, with faults in between. The engine runs in the process of the test.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createLog } from '../../../shared/utilities/log.ts'
import type { Poller } from '../../../shared/utilities/poller.ts'
import { startCalendars } from '../../../workers/calendars/engine/engine.ts'
import { Random } from '../../harness/random.ts'
import type { Client } from '../../support/http/http.ts'
import type { World } from '../../support/world.ts'
import { type AnyWorld, createSettings } from './engine-world.ts'
import { isCreation, isWrite, RoomEdits } from './room-edits.ts'

const DAY_MS = 24 * 3_600_000

const FAULTS = {
  lostCreation: 2,
  lostAnswer: 2,
  outage: 1,
  throttled: 1,
  forgetPositions: 1,
  stop: 2,
  kill: 3,
}

export class TwoSides {
  /** What was done, for the message of a test that fails. */
  readonly done: string[] = []
  readonly edits: RoomEdits
  readonly #world: World
  readonly #calendar: AnyWorld
  readonly #random: Random
  #engine: Poller | undefined

  constructor(world: World, client: Client, calendar: AnyWorld, seed: number) {
    this.#world = world
    this.#calendar = calendar
    this.#random = new Random(seed)
    const { database } = world
    this.edits = new RoomEdits({
      database,
      calendar,
      random: this.#random,
      send: async (method, path, body) => describeAnswer(await client.ask(path, { method, body })),
    })
  }

  async open() {
    await this.edits.open()
    this.#start()
  }

  #start() {
    const [calendar, world] = [this.#calendar, this.#world]
    this.#engine = startCalendars(
      { ...world.config, calendars: createSettings(calendar, { pollSeconds: 1 }) },
      createLog('calendars', process.env['TEST_LOG_LEVEL'] ?? 'silent'),
      calendar.provider.name === 'google' ? { googleUrl: calendar.proxy.url } : {},
    )
  }

  async close() {
    await this.#engine?.stop()
    this.edits.close()
  }

  /** Makes one edit, and now and then a fault as well. */
  async editOnce({ faults = 0.4 } = {}) {
    if (this.#random.chance(faults)) await this.#fail(this.#random.pickKey(FAULTS))
    this.#note(await this.edits.editOnce())
    // Sometimes edits come faster than Berth reads, and sometimes it is done before the next one.
    await wait(this.#random.pick([0, 0, 200, 700, 1_500]))
  }

  #note(text: string) {
    this.done.push(`${new Date().toISOString().slice(14, 23)} ${text}`)
  }

  async #fail(kind: keyof typeof FAULTS) {
    this.#note(`fault ${kind}`)
    const { faults } = this.#calendar.proxy
    if (kind === 'lostAnswer') faults.push({ matches: isWrite, isCarriedOut: true })
    if (kind === 'lostCreation') faults.push({ matches: isCreation, isCarriedOut: true })
    if (kind === 'outage') faults.push({ answer: { status: 503 } })
    if (kind === 'throttled') faults.push({ answer: { status: 429, headers: { 'Retry-After': '1' } } })
    if (kind === 'forgetPositions') this.#calendar.forgetPositions()
    if (kind !== 'stop' && kind !== 'kill') return
    await this.#engine?.stop()
    // A process that dies does not release its calendars: what it has taken note of is lost. The next one takes them over.
    if (kind === 'kill')
      await this.#world.database('room_calendars').update({
        lease: randomUUID(),
        leased_until: new Date(),
        next_write_at: null,
        next_read_at: new Date(Date.now() + DAY_MS),
      })
    this.#start()
  }
}

/** Berth may refuse an edit, but not fail. */
function describeAnswer({ status, text }: { status: number; text: string }): string {
  expect([200, 204, 404, 409, 422], text).to.include(status)
  return status < 300 ? '' : `: ${status} ${JSON.parse(text).code}`
}
