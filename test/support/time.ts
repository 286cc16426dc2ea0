// Waiting in tests for a condition, and measuring durations.
import { setTimeout as wait } from 'node:timers/promises'

const POLL_MS = 20
const POLL_MS_MAX = 200

// `npm run test:long` checks promised times as they are, on a machine that has nothing else to do. All other runs only tell
// “soon” from “never”: the machine may be busy, so a test must be built such that a failure takes longer than this.
export const isLong = process.env.TEST_LONG !== undefined
const SLACK = 5
const SOON_MS = 20_000

export const promised = (waitMs: number) => (isLong ? waitMs : Math.max(SLACK * waitMs, SOON_MS))

/** Asks until it no longer throws, and returns what it answered; throws the last failure when time is up. */
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

/** Where midnight (UTC) is nearer than that, until it is over: what is begun before it and looked at behind it has two right answers. */
export async function passMidnight(nearMs: number): Promise<void> {
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

export async function timed<T>(work: () => Promise<T>): Promise<{ answer: T; tookMs: number }> {
  const started = performance.now()
  const answer = await work()
  return { answer, tookMs: performance.now() - started }
}

/**
 * A clock that stands at this instant when it is first looked at: its file may be loaded long before its tests run. One that
 * stands still has no deadline that is still to come.
 */
export function clockFrom(startMs: number): () => number {
  let startedMs: number | undefined
  return () => {
    startedMs ??= Date.now()
    return startMs + Date.now() - startedMs
  }
}
