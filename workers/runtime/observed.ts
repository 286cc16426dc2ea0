// Reports the outcome and duration of work to the metrics observer.
import type { Ended, WorkObserver } from './attempts.ts'

const DONE: Ended = { status: 204 }

export async function observed<Done extends Ended | undefined>(
  observer: WorkObserver | undefined,
  job: string,
  work: () => Promise<Done>,
): Promise<Done> {
  if (!observer) return work()
  const startedMs = performance.now()
  const tell = (ended: Ended) => observer.ended(job, ended, (performance.now() - startedMs) / 1_000)
  try {
    const done = await work()
    tell(done ?? DONE)
    return done
  } catch (error) {
    tell(error as Error)
    throw error
  }
}
