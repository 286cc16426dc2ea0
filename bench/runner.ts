// What all parts of the bench share: the load generators, and what they find.
import { type Findings, noFindings } from './figures.ts'
import { type Loader, startLoader } from './load/load.ts'
import { findWrk } from './load/wrk.ts'

export type Runner = Findings & {
  loader: Loader
  /** For reads, where it is installed. */
  wrk?: Loader | undefined
}

export type Lengths = { rounds: number; seconds: number }

export async function startRunner(): Promise<Runner & { stop(): Promise<void> }> {
  const [loader, wrk] = [await startLoader(), await findWrk()]
  return {
    ...noFindings(),
    loader,
    wrk,
    async stop() {
      await Promise.all([loader.stop(), wrk?.stop()])
    },
  }
}
