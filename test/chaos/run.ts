// A run: clients write without a pause while storms rage; then every open question is asked again until it is
// answered, and the history is held against the database and the audit log.
import { setTimeout as wait } from 'node:timers/promises'
import { Random } from '../harness/random.ts'
import { checkAnswers } from './check/answers.ts'
import { checkDatabase } from './check/database.ts'
import { collectFacts } from './check/facts.ts'
import { checkLedger } from './check/ledger.ts'
import { countWaits } from './check/waits.ts'
import type { FaultName } from './faults/storm.ts'
import { FAULTS, Storm } from './faults/storm.ts'
import { WATCHED_MS, watchFeed } from './feed-watch.ts'
import { History } from './history.ts'
import { type Kill, measureKill } from './kill.ts'
import type { BookerKind } from './load/booker.ts'
import { Load } from './load/load.ts'
import { createOffice, type Office } from './load/office.ts'
import { resolveAll, settle } from './settle.ts'
import { Stage, type StageOptions } from './stage/stage.ts'

export type Settings = StageOptions & {
  seed: number
  /** So many are decided at least. */
  writes: number
  clients: number
  /** How long a storm rages, and how long a kind of fault pauses between two of its kind. */
  stormMs: number
  pauseMs: number
  /** How many workers are killed, to measure how soon the truth is told, before each storm. */
  kills: number
  importers: number
  /** People who wait for a desk on their own pages. */
  waiters: number
  /** Administrators who undo, swap, add visitors and press at doors. */
  clerks?: number
  /** Of those who hear that nothing was done, so many leave it at that. */
  leavesShare?: number
  /** How long to wait for what is queued and accepted. */
  settledMsMax?: number
  kinds?: BookerKind[]
  /** Instead of storms. */
  faults?: FaultName[]
  /** Called when the stage stands, before anything is written. */
  prepare?(stage: Stage): Promise<unknown>
  /** Called when a storm is over and all works again. */
  onCalm?(history: History): void
  /** Something that happens while clients write, after the faults. */
  scene?(stage: Stage, random: Random): Promise<void>
}

export type Report = {
  seed: number
  tookMs: number
  history: History
  faults: Map<string, number>
  kills: Kill[]
  /** How often the waitlist had what. */
  waits: Array<[action: string, times: number]>
}

const CALM_MS = 300
const SETTLED_MS_MAX = 60_000
const SAMPLE = 0.1

export async function runChaos(settings: Settings): Promise<Report> {
  const startedMs = Date.now()
  const random = new Random(settings.seed)
  const history = new History()
  const stage = await Stage.open(settings)
  try {
    const office = await createOffice(stage.database, settings)
    await settings.prepare?.(stage)
    const load = new Load({ stage, office, history, random: random.fork(), ...settings })
    const storm = new Storm(stage, random.fork())
    const kills: Kill[] = []
    await load.during(async () => {
      await load.warmUp()
      do {
        for (let kill = 0; kill < settings.kills; kill++) kills.push(await measureKill(stage, history, load))
        const happen = () => breakThings(settings, stage, storm, random)
        await (settings.faults?.length === 0 ? watchFeed(stage.database, history, happen) : happen())
        await load.recover()
        if (!settings.faults) await watchFeed(stage.database, history, () => wait(WATCHED_MS))
        settings.onCalm?.(history)
      } while (history.decided < settings.writes)
    })
    await resolveAll(history, load)
    await settle(stage, history, settings.settledMsMax ?? SETTLED_MS_MAX)
    await load.repeatSome(SAMPLE)
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

async function breakThings(settings: Settings, stage: Stage, storm: Storm, random: Random): Promise<void> {
  const { faults, scene, stormMs, pauseMs } = settings
  if (!faults) return storm.rage(stormMs, pauseMs)
  for (const fault of faults) {
    await wait(CALM_MS)
    await FAULTS[fault]({ stage, random })
  }
  await scene?.(stage, random)
}

async function checkAll(history: History, stage: Stage, office: Office): Promise<void> {
  const facts = await collectFacts(history, stage.database, stage.logged('failed'))
  checkAnswers(facts)
  await checkDatabase(facts)
  await checkLedger(facts, office)
}
