// Runs the chaos test: clients write without pause during storms; then every undecided write is repeated
// until it is answered, and the history is compared with the database and the audit log.
import { setTimeout as wait } from 'node:timers/promises'
import { Random } from '../harness/random.ts'
import { checkAnswers } from './check/answers.ts'
import { CalendarCheck } from './check/calendars.ts'
import { checkDatabase } from './check/database.ts'
import { collectFacts } from './check/facts.ts'
import { checkLedger } from './check/ledger.ts'
import { countWaits } from './check/waits.ts'
import { checkWeeks } from './check/weeks.ts'
import type { FaultName } from './faults/storm.ts'
import { FAULTS, Storm } from './faults/storm.ts'
import { FEED_WATCH_MS, watchFeed } from './feed-watch.ts'
import { History } from './history.ts'
import { type KillMeasurement, measureKill } from './kill.ts'
import type { BookerKind } from './load/booker.ts'
import { Load } from './load/load.ts'
import { createOffice, type Office } from './load/office.ts'
import { resolveUndecidedWrites, settle } from './settle.ts'
import { Stage, type StageOptions } from './stage/stage.ts'

export type Settings = StageOptions & {
  seed: number
  /** The minimum number of decided writes. */
  writes: number
  /** The time after which the run ends even with fewer writes. */
  msMax?: number
  clients: number
  /** How long a storm lasts, and how long a kind of fault pauses between two faults. */
  stormMs: number
  pauseMs: number
  /** The number of workers that are killed before each storm, to measure how soon callers get a correct answer. */
  kills: number
  importers: number
  /** The number of people who wait for a desk on their own pages. */
  waiters: number
  /** The number of administrators who undo, swap, add visitors and use screens. */
  clerks?: number
  /** The number of people who plan their weeks. */
  planners?: number
  /** The share of clients that give up after an answer says that nothing was done. */
  leavesShare?: number
  /** The maximum time to wait for queued and accepted jobs. */
  settledMsMax?: number
  /** The maximum time to wait until rooms and their calendars show the same meetings. */
  restMsMax?: number
  kinds?: BookerKind[]
  /** Faults to run in the given order, instead of storms. */
  faults?: FaultName[]
  /** Called when the stage is ready, before anything is written. */
  prepare?(stage: Stage): Promise<unknown>
  /** Called when a storm is over and everything works again. */
  onCalm?(history: History): void
  /** Runs a scene after the faults, while clients write. */
  scene?(stage: Stage, random: Random): Promise<void>
}

export type Report = {
  seed: number
  tookMs: number
  history: History
  faults: Map<string, number>
  kills: KillMeasurement[]
  /** The number of times that each waitlist action occurred. */
  waits: Array<[action: string, times: number]>
}

const CALM_PAUSE_MS = 300
const SETTLED_MS_MAX = 60_000
const REST_MS_MAX = 60_000
const REPEATED_WRITE_SHARE = 0.1

export async function runChaos(settings: Settings): Promise<Report> {
  const startedMs = Date.now()
  const { msMax = Number.POSITIVE_INFINITY } = settings
  const random = new Random(settings.seed)
  const history = new History()
  const stage = await Stage.open(settings)
  try {
    const office = await createOffice(stage.database, settings)
    await settings.prepare?.(stage)
    const load = new Load({ stage, office, history, random: random.fork(), ...settings })
    const storm = new Storm(stage, random.fork())
    const kills: KillMeasurement[] = []
    await load.open()
    const calendars = await CalendarCheck.open(stage, office)
    await load.during(async () => {
      await load.warmUp()
      do {
        for (let kill = 0; kill < settings.kills; kill++) kills.push(await measureKill(stage, history, load))
        const happen = () => causeFaults(settings, stage, storm, random)
        await (settings.faults?.length === 0 ? watchFeed(stage.database, history, happen) : happen())
        await load.recover()
        if (!settings.faults) await watchFeed(stage.database, history, () => wait(FEED_WATCH_MS))
        settings.onCalm?.(history)
      } while (history.decided < settings.writes && Date.now() - startedMs < msMax)
    })
    await resolveUndecidedWrites(history, load)
    await settle(stage, history, settings.settledMsMax ?? SETTLED_MS_MAX)
    await load.repeatSome(REPEATED_WRITE_SHARE)
    await calendars?.check(history, load.editors, settings.restMsMax ?? REST_MS_MAX)
    load.close()
    await checkAll(history, stage, office)
    const waits = await countWaits(stage.database)
    return {
      seed: settings.seed,
      tookMs: Date.now() - startedMs,
      history,
      faults: storm.counts,
      kills,
      waits,
    }
  } finally {
    await stage.close()
  }
}

async function causeFaults(settings: Settings, stage: Stage, storm: Storm, random: Random): Promise<void> {
  const { faults, scene, stormMs, pauseMs } = settings
  if (!faults) return storm.rage(stormMs, pauseMs)
  for (const fault of faults) {
    await wait(CALM_PAUSE_MS)
    await FAULTS[fault]({ stage, random })
  }
  await scene?.(stage, random)
}

async function checkAll(history: History, stage: Stage, office: Office): Promise<void> {
  const facts = await collectFacts(history, stage.database, stage.logged('failed'))
  checkAnswers(facts)
  await checkDatabase(facts)
  await checkLedger(facts, office)
  await checkWeeks(facts, office)
}
