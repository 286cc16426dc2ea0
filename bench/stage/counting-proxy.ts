// A proxy in front of Postgres or Redis that counts round trips. A new round trip begins when a client sends something
// after a response; what it sends before the next response belongs to the same round trip.
import { connect, createServer, type Server, type Socket } from 'node:net'

export type CountingProxy = {
  /** The URL of the server, through this proxy. */
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
  address.port = String(await listenOnFreePort(server))
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

function listenOnFreePort(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const bound = server.address()
      resolve(typeof bound === 'object' && bound ? bound.port : 0)
    })
  })
}
