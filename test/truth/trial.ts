// A trial: clients write without a pause while one fault follows the other. It returns the lies that were told.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { overlaps } from '../support/faults/contention.ts'
import { eventually, isLong } from '../support/time.ts'
import { FAULTS } from './faults.ts'
import { Ledger, type Lie } from './ledger.ts'
import { Stage, WRITE_WAIT_MS } from './stage.ts'
import { Writer } from './writes.ts'

export type Trial = {
  faults: string[]
  /** Called with the database before anything is written. */
  prepare?: (database: Knex) => PromiseLike<unknown>
}

export type Result = { lies: Lie[]; answers: Record<string, number> }

const CLIENTS = 12
const CALM_MS = 300
// Where all is refused at once, nobody asks as fast as he can; and a short trial needs no more than many at once.
const PAUSE_MS = isLong ? 20 : 120

export async function tryTruth({ faults, prepare }: Trial): Promise<Result> {
  const stage = await Stage.open()
  try {
    await prepare?.(stage.world.database)
    const ledger = new Ledger()
    await writeDuring(stage, ledger, async () => {
      await eventually(() => ledger.expectEntries(CLIENTS), 20_000)
      for (const fault of faults) {
        await wait(CALM_MS + Math.random() * CALM_MS)
        await FAULTS[fault]?.(stage)
      }
      await recover(stage)
    })
    await ledger.resolve(stage.client)
    await wait(WRITE_WAIT_MS)
    await stage.settle()
    await ledger.close(stage.world)
    const overlapping = await overlaps(stage.world)
    if (overlapping > 0) ledger.lies.push({ mark: '', said: '', is: `${overlapping} overlaps` })
    return { lies: ledger.lies, answers: ledger.summary }
  } finally {
    await stage.close()
  }
}

async function writeDuring(stage: Stage, ledger: Ledger, happen: () => Promise<void>): Promise<void> {
  const writer = new Writer(stage.world)
  let isOver = false
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) {
      await ledger.enter(await writer.next(), stage.client)
      await wait(Math.random() * PAUSE_MS)
    }
  })
  try {
    await happen()
  } finally {
    isOver = true
    await Promise.all(clients)
  }
}

// The last fault must not hide that nothing goes on.
async function recover(stage: Stage): Promise<void> {
  const writer = new Writer(stage.world)
  await eventually(async () => {
    const answer = await (await writer.next()).send(stage.client)
    if (answer.status >= 300) throw new Error(`Not well again: ${answer.text}`)
  }, 20_000)
}
