// A mail server that takes every mail, in a process of its own: the file of that process is smtp-server.ts.
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../local/tools/ports.ts'
import { benchFile, startScript, waitUntil } from './scripts.ts'

const ARRIVED_MS_MAX = 600_000
const LOOK_MS = 100

export type Arrival = { atMs: number; to: string }

export type MailServer = {
  url: string
  /** Returns all mails so far in the order of arrival, once there are at least this many. */
  waitFor(number: number): Promise<Arrival[]>
  stop(): Promise<void>
}

export async function startMailServer(directory: string): Promise<MailServer> {
  const port = String(await findFreePort())
  const file = benchFile('stage/smtp-server')
  const script = startScript({ name: 'mail-server', file, environment: { PORT: port }, directory })
  await waitUntil(script, () => script.log().includes('ready'))
  return {
    url: `smtp://127.0.0.1:${port}`,
    async waitFor(number) {
      for (const untilMs = Date.now() + ARRIVED_MS_MAX; Date.now() < untilMs; await sleep(LOOK_MS)) {
        const mails = [...script.log().matchAll(/^mail (\d+) (\S+)$/gm)]
        if (mails.length >= number) return mails.map(([, atMs, to = '']) => ({ atMs: Number(atMs), to }))
      }
      throw new Error(`Fewer than ${number} mails came`)
    },
    stop: script.stop,
  }
}
