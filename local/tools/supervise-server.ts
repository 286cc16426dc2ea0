// Supervises Postgres or Redis: restarts it on the same port if it exits by itself.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from './servers.ts'
import { formatError, print, printError } from './terminal.ts'

export type SupervisedServer = { url: string; stop(): Promise<void> }

const RETRY_WAIT_MS = 2_000

export async function superviseServer(
  name: string,
  start: (port?: number) => Promise<Server>,
): Promise<SupervisedServer> {
  let server = await start()
  const { url, port } = server
  const stopping = new AbortController()

  const supervise = async () => {
    for (;;) {
      await server.ended
      if (stopping.signal.aborted) return
      print(`${name} exited unexpectedly; restarting it.`)
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
        printError(formatError(error))
        await sleep(RETRY_WAIT_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }

  const supervised = supervise()
  const stop = async () => {
    stopping.abort()
    await server.stop()
    // A restart in progress creates another server, which must stop too.
    await supervised
    await server.stop()
  }
  return { url, stop }
}
