// Starts a mail server that accepts every mail, in a process of its own, which runs smtp-server.ts.
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../local/tools/ports.ts'
import { getBenchFile, startScript, waitUntil } from './scripts.ts'

const ARRIVAL_WAIT_MS_MAX = 600_000
const POLL_INTERVAL_MS = 100

export type ReceivedMail = { atMs: number; to: string }

export type MailServer = {
  url: string
  /** Returns all mails so far in the order of arrival, once at least `number` mails have arrived. */
  waitFor(number: number): Promise<ReceivedMail[]>
  stop(): Promise<void>
}

export async function startMailServer(directory: string): Promise<MailServer> {
  const port = String(await findFreePort())
  const file = getBenchFile('stage/smtp-server')
  const script = startScript({ name: 'mail-server', file, environment: { PORT: port }, directory })
  await waitUntil(script, () => script.log().includes('ready'))
  return {
    url: `smtp://127.0.0.1:${port}`,
    async waitFor(number) {
      for (
        const untilMs = Date.now() + ARRIVAL_WAIT_MS_MAX;
        Date.now() < untilMs;
        await sleep(POLL_INTERVAL_MS)
      ) {
        const mails = [...script.log().matchAll(/^mail (\d+) (\S+)$/gm)]
        if (mails.length >= number) return mails.map(([, atMs, to = '']) => ({ atMs: Number(atMs), to }))
      }
      throw new Error(`Fewer than ${number} mails came`)
    },
    stop: script.stop,
  }
}
