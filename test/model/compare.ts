// Compares the results of random write sequences with the model, until the time limit.
import { expect } from 'chai'
import fc from 'fast-check'
import { openAdmin } from '../support/dashboard/admin.ts'
import { overlaps } from '../support/faults/contention.ts'
import { testSeed } from '../support/seed.ts'
import { createWorld } from '../support/world.ts'
import { sequences } from './commands.ts'
import { play } from './play.ts'

/** The number of stages that run at a time: enough to keep the machine busy. */
const CONCURRENT_STAGES = 4

type Limit = { ms: number; mustFinish: boolean }

/** Ends early at the time limit, and fails in that case if `mustFinish` is set. */
export async function compareWithModel(count: number, { ms, mustFinish }: Limit): Promise<void> {
  const world = await createWorld({
    environment: { RATE_LIMIT_PER_MINUTE: '1000000000', WRITE_WAIT_MS: '30000' },
  })
  const admin = await openAdmin(world)
  try {
    const senders = { world, client: await world.client(), admin }
    const property = fc.asyncProperty(sequences, (batches) => play(senders, batches))
    const runs = Array.from({ length: CONCURRENT_STAGES }, (_, stage) =>
      fc.assert(property, {
        seed: testSeed + stage,
        numRuns: Math.ceil(count / CONCURRENT_STAGES),
        interruptAfterTimeLimit: ms,
        markInterruptAsFailure: mustFinish,
      }),
    )
    const results = await Promise.allSettled(runs)
    for (const result of results) if (result.status === 'rejected') throw result.reason
    expect(await overlaps(world)).to.equal(0)
  } finally {
    await admin.close()
    await world.close()
  }
}
