// Waits for conditions in tests, and measures durations.
import { setTimeout as wait } from 'node:timers/promises'

const POLL_MS = 20
const POLL_MS_MAX = 200

// `npm run test:long` checks promised times exactly, on a machine that is not busy otherwise. All other runs only
// distinguish “soon” from “never”: the machine may be busy, so a test must be built such that a failure takes longer
// than this.
export const isLong = process.env.TEST_LONG !== undefined
const SLACK_FACTOR = 5
const SOON_MS = 20_000

export const promised = (waitMs: number) => (isLong ? waitMs : Math.max(SLACK_FACTOR * waitMs, SOON_MS))

/** Retries until `ask` no longer throws, and returns its result. Throws the last error when the time has run out. */
export async function eventually<T>(ask: () => Promise<T> | T, waitMs = 40_000): Promise<T> {
  const deadlineMs = Date.now() + waitMs
  // Polls less often after a while, so that a long wait with one token stays under its rate limit.
  for (let pauseMs = POLL_MS; ; pauseMs = Math.min(1.1 * pauseMs, POLL_MS_MAX)) {
    try {
      return await ask()
    } catch (error) {
      if (Date.now() > deadlineMs) throw error
      await wait(pauseMs)
    }
  }
}

const DAY_MS = 24 * 3_600_000

/**
 * Waits until midnight (UTC) has passed if it is less than the given time away, because a test across midnight would
 * have two correct results.
 */
export async function waitPastMidnight(nearMs: number): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS)
  if (leftMs < nearMs) await wait(leftMs + 100)
}

export async function within<T>(waitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Not done after ${waitMs} ms`)), waitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

export async function measureTime<T>(work: () => Promise<T>): Promise<{ answer: T; tookMs: number }> {
  const started = performance.now()
  const answer = await work()
  return { answer, tookMs: performance.now() - started }
}

/**
 * Returns a clock that starts at the given instant when it is first read, because a file may be loaded long before its
 * tests run.
 */
export function createClock(startMs: number): () => number {
  let startedMs: number | undefined
  return () => {
    startedMs ??= Date.now()
    return startMs + Date.now() - startedMs
  }
}
