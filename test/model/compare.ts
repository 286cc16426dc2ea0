// Random sequences of all writes, compared with the model; as many as the caller has time for.
import { expect } from 'chai'
import fc from 'fast-check'
import { overlaps } from '../support/faults/contention.ts'
import { testSeed } from '../support/seed.ts'
import { createWorld } from '../support/world.ts'
import { sequences } from './commands.ts'
import { play } from './play.ts'

/** So many stages at a time, so that the machine is busy. */
const STAGES = 4

type Limit = { ms: number; mustFinish: boolean }

/** On a machine that is busy with other things it ends at the limit: with fewer sequences, or as a failure. */
export async function compareWithModel(count: number, { ms, mustFinish }: Limit): Promise<void> {
  const world = await createWorld({ environment: { RATE_LIMIT_PER_MINUTE: '1000000000' } })
  try {
    const client = await world.client()
    const property = fc.asyncProperty(sequences, (batches) => play(world, client, batches))
    const runs = Array.from({ length: STAGES }, (_, stage) =>
      fc.assert(property, {
        seed: testSeed + stage,
        numRuns: Math.ceil(count / STAGES),
        interruptAfterTimeLimit: ms,
        markInterruptAsFailure: mustFinish,
      }),
    )
    const results = await Promise.allSettled(runs)
    for (const result of results) if (result.status === 'rejected') throw result.reason
    expect(await overlaps(world)).to.equal(0)
  } finally {
    await world.close()
  }
}
