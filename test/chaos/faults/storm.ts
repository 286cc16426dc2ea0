// A storm: faults of processes, Redis, Postgres and the network at the same time, at random moments.
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../harness/random.ts'
import type { Stage } from '../stage/stage.ts'
import type { Arena, Fault } from './arena.ts'
import { CALENDAR_FAULTS } from './calendars.ts'
import { NETWORK_FAULTS } from './network.ts'
import { POSTGRES_FAULTS } from './postgres.ts'
import { PROCESS_FAULTS } from './processes.ts'
import { REDIS_FAULTS } from './redis.ts'

const FAULT_GROUPS = [PROCESS_FAULTS, REDIS_FAULTS, POSTGRES_FAULTS, NETWORK_FAULTS]
export const FAULTS = {
  ...PROCESS_FAULTS,
  ...REDIS_FAULTS,
  ...POSTGRES_FAULTS,
  ...NETWORK_FAULTS,
  ...CALENDAR_FAULTS,
}
export type FaultName = keyof typeof FAULTS

export class Storm {
  /** The number of times that each fault occurred. */
  readonly counts = new Map<string, number>()
  readonly #stage: Stage
  readonly #lanes: FaultLane[]

  constructor(stage: Stage, random: Random) {
    this.#stage = stage
    const groups = stage.hooks.length > 0 ? [...FAULT_GROUPS, CALENDAR_FAULTS] : FAULT_GROUPS
    this.#lanes = groups.map((faults) => new FaultLane(faults, random.fork()))
  }

  /** Causes faults of all kinds at the same time for the given duration, and then restores everything. */
  async rage(ms: number, pauseMs: number): Promise<void> {
    const endMs = Date.now() + ms
    await Promise.all(
      this.#lanes.map(async (lane) => {
        for (;;) {
          await wait(lane.random.between(0, 2 * pauseMs))
          if (Date.now() > endMs) return
          await this.#meet(lane)
        }
      }),
    )
  }

  async #meet({ random, next }: FaultLane): Promise<void> {
    const [name, fault] = next()
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    await fault({ stage: this.#stage, random } satisfies Arena)
  }
}

/** Repeatedly runs all faults of one kind in random order, one at a time. */
class FaultLane {
  readonly random: Random
  readonly #faults: Array<[string, Fault]>
  #left: Array<[string, Fault]> = []

  constructor(faults: Record<string, Fault>, random: Random) {
    this.#faults = Object.entries(faults)
    this.random = random
  }

  readonly next = (): [string, Fault] => {
    if (this.#left.length === 0) this.#left = [...this.#faults]
    const [picked] = this.#left.splice(this.random.below(this.#left.length), 1)
    if (!picked) throw new Error('There are no faults')
    return picked
  }
}
