// Waiting in tests for a condition, and measuring durations.
import { setTimeout as wait } from 'node:timers/promises'

const POLL_MS = 20

// A time is promised for a machine that has time, and so `npm run test:long` holds the promises themselves. Beside other
// work a test learns only that nothing takes far longer; each is so made that what it looks for would.
export const isLong = process.env.TEST_LONG !== undefined
const SLACK = isLong ? 1 : 5

export const promised = (waitMs: number) => waitMs * SLACK

/** Asks until it no longer throws, and returns what it answered; throws the last failure when time is up. */
export async function eventually<T>(ask: () => Promise<T> | T, waitMs = 40_000): Promise<T> {
  const deadlineMs = Date.now() + waitMs
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (Date.now() > deadlineMs) throw error
      await wait(POLL_MS)
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
