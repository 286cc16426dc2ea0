// Waiting in tests: for what is to come true, and how long something took.
import { setTimeout as wait } from 'node:timers/promises'

const POLL_MS = 20

/** Asks until it no longer throws, and returns what it answered; throws the last failure when time is up. */
export async function eventually<T>(ask: () => Promise<T> | T, waitMs = 5_000): Promise<T> {
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
