// Ports on the loopback interface: finds a free one, and checks a wanted one.
import { createServer } from 'node:net'

const LOOPBACK = '127.0.0.1'

export async function findFreePort(): Promise<number> {
  return listenBriefly(0)
}

/** Why the port cannot be used; undefined if it can. */
export async function findPortProblem(port: number): Promise<string | undefined> {
  try {
    await listenBriefly(port)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

function listenBriefly(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
      const address = server.address()
      const listening = typeof address === 'object' && address ? address.port : port
      server.close(() => resolve(listening))
    })
  })
}
