// Finds a free port on the loopback interface, or checks a requested one.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from './terminal.ts'

const POLL_MS = 200

export const findFreePort = () => listenBriefly(0)

/** Reserves a port. Waits for it if it is in use. Port 0 means any free port. */
export async function reservePort(port: number, waitMs: number): Promise<number> {
  const deadline = Date.now() + waitMs
  for (;;) {
    try {
      return await listenBriefly(port)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const inUse = `Port ${port} is already in use. Stop the program that uses it, or choose another port (PORT=${port + 1} npm start).`
      if (code !== 'EADDRINUSE')
        throw new CliError(`Cannot listen on port ${port} (${code}). Set PORT to another one.`)
      if (Date.now() >= deadline) throw new CliError(inUse)
    }
    await sleep(POLL_MS)
  }
}

async function listenBriefly(port: number): Promise<number> {
  const server = createServer()
  await once(server.listen({ port, host: '127.0.0.1', exclusive: true }), 'listening')
  const { port: listening } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return listening
}
