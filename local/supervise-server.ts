// Keeps Postgres or Redis running: one that ends by itself is started again on the same port.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from './servers.ts'
import { complain, say, wordProblem } from './terminal.ts'

export type KeptServer = { url: string; stop(): Promise<void> }

const RETRY_WAIT_MS = 2_000

export async function keepServer(
  name: string,
  start: (port?: number) => Promise<Server>,
): Promise<KeptServer> {
  let server = await start()
  const { url, port } = server
  const stopping = new AbortController()

  const keep = async () => {
    for (;;) {
      await server.ended
      if (stopping.signal.aborted) return
      say(`${name} ended; it starts again.`)
      await restart()
      if (stopping.signal.aborted) return
    }
  }
  const restart = async () => {
    while (!stopping.signal.aborted) {
      try {
        server = await start(port)
        return
      } catch (error) {
        complain(wordProblem(error))
        await sleep(RETRY_WAIT_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }

  const kept = keep()
  const stop = async () => {
    stopping.abort()
    await server.stop()
    // A restart under way brings another server; that one must not stay.
    await kept
    await server.stop()
  }
  return { url, stop }
}
