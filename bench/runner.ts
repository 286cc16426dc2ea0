// Starts what all parts of the benchmark share: the load generators and the results.
import { createFindings, type Findings } from './figures.ts'
import { type Loader, startLoader } from './load/load.ts'
import { findWrk } from './load/wrk.ts'

export type Runner = Findings & {
  loader: Loader
  /** The load generator for reads; undefined if wrk is not installed. */
  wrk?: Loader | undefined
}

export type RunLength = { rounds: number; seconds: number }

export async function startRunner(): Promise<Runner & { stop(): Promise<void> }> {
  const [loader, wrk] = [await startLoader(), await findWrk()]
  return {
    ...createFindings(),
    loader,
    wrk,
    async stop() {
      await Promise.all([loader.stop(), wrk?.stop()])
    },
  }
}
