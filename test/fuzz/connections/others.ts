// Clients that read and write while a trial stresses the gateway, and whose response times are measured.
import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '../../support/http/http.ts'

export type OtherClientsResult = { asked: number; failed: string[]; slowestMs: number }

const PAUSE_MS = 100

/** Sends requests until the trial is over, and at least once. */
export async function measureOtherClients(
  client: Client,
  pressure: Promise<unknown>,
): Promise<OtherClientsResult> {
  const served: OtherClientsResult = { asked: 0, failed: [], slowestMs: 0 }
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
