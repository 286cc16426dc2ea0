// A proxy in front of Postgres or Redis that counts round trips: what a client sends after an answer begins a
// new one; what it sends before the next answer belongs to the same one.
import { connect, createServer, type Server, type Socket } from 'node:net'

export type CountingProxy = {
  /** The given address, through this proxy. */
  url: string
  roundTrips(): number
  stop(): Promise<void>
}

export async function startCountingProxy(url: string): Promise<CountingProxy> {
  const { port, hostname } = new URL(url)
  const sockets = new Set<Socket>()
  let roundTrips = 0
  const server = createServer((client) => {
    const upstream = connect({ port: Number(port), host: hostname, noDelay: true })
    client.setNoDelay(true)
    let isAnswered = true
    client.on('data', () => {
      if (isAnswered) roundTrips++
      isAnswered = false
    })
    upstream.on('data', () => {
      isAnswered = true
    })
    client.pipe(upstream)
    upstream.pipe(client)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
  })
  const address = new URL(url)
  address.port = String(await listen(server))
  address.hostname = '127.0.0.1'
  return {
    url: address.href,
    roundTrips: () => roundTrips,
    stop() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const bound = server.address()
      resolve(typeof bound === 'object' && bound ? bound.port : 0)
    })
  })
}
