// Everybody else: asks and writes while something presses on the gateway, and notes how long that takes.
import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '../../support/http/http.ts'

export type Served = { asked: number; failed: string[]; slowestMs: number }

const PAUSE_MS = 100

/** Until what presses is over, and once at least. */
export async function serveOthers(client: Client, pressure: Promise<unknown>): Promise<Served> {
  const served: Served = { asked: 0, failed: [], slowestMs: 0 }
  let isOver = false
  const over = () => {
    isOver = true
  }
  pressure.then(over, over)
  do {
    for (const ask of [() => client.get('groups'), () => client.patch('bookables/1', {})]) {
      const startedMs = performance.now()
      const status = await ask().then(
        (answer) => String(answer.status),
        (error: Error) => error.message,
      )
      served.asked++
      served.slowestMs = Math.max(served.slowestMs, Math.round(performance.now() - startedMs))
      if (status !== '200') served.failed.push(status)
    }
    await wait(PAUSE_MS)
  } while (!isOver)
  return served
}
