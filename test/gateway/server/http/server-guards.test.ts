// Tests connections without traffic: connections of clients that read nothing are cut off, idle connections
// between requests are closed later, and all others stay open.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { cutUnreadAnswers } from '../../../../gateway/server/http/server-guards.ts'
import { promised, within } from '../../../support/time.ts'

const IDLE_MS = 200
const KEEP_ALIVE_MS = 600
// Since 20.20, Node keeps a connection open this much longer than its setting says.
const NODE_KEEP_ALIVE_EXTRA_MS = 1_000
const CLOSED_MS_MAX = promised(5_000)
const REQUEST = 'GET / HTTP/1.1\r\nHost: berth.example\r\n\r\n'
const LARGE_BODY = Buffer.alloc(32 * 1024 * 1024)

describe('an HTTP connection without traffic', () => {
  const servers: Server[] = []
  const sockets: Socket[] = []

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })

  const open = async (listener: RequestListener, idleMs = IDLE_MS): Promise<Socket> => {
    const server = createServer(listener)
    server.keepAliveTimeout = KEEP_ALIVE_MS
    cutUnreadAnswers(server, idleMs)
    servers.push(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    await once(server, 'connection')
    return socket
  }
  const closedAfterMs = async (socket: Socket): Promise<number> => {
    const startedMs = performance.now()
    await within(CLOSED_MS_MAX, once(socket, 'close'))
    return performance.now() - startedMs
  }

  it('is closed while its client reads nothing of a response', async () => {
    const socket = await open((_request, response) => response.end(LARGE_BODY))
    socket.pause().write(REQUEST)
    const [server] = servers
    await within(CLOSED_MS_MAX, once(server as Server, 'request'))
    await wait(3 * IDLE_MS)
    let bytes = 0
    socket.on('data', (piece) => {
      bytes += piece.length
    })
    await closedAfterMs(socket.resume())
    expect(bytes).to.be.below(LARGE_BODY.length)
  })

  it('stays open while its response is not ready', async () => {
    const socket = await open((_request, response) => setTimeout(() => response.end('late'), 3 * IDLE_MS))
    socket.write(REQUEST)
    const [answer] = await within(CLOSED_MS_MAX, once(socket, 'data'))
    expect(String(answer)).to.match(/late$/)
  })

  it('is closed between requests, after the longer keep-alive timeout', async () => {
    const socket = await open((_request, response) => response.end())
    socket.write(REQUEST)
    await within(CLOSED_MS_MAX, once(socket, 'data'))
    expect(await closedAfterMs(socket)).to.be.at.least(KEEP_ALIVE_MS - IDLE_MS)
  })

  it('is closed between requests, even if the timeout for clients that read nothing equals the idle timeout', async () => {
    const closings = [KEEP_ALIVE_MS, KEEP_ALIVE_MS + NODE_KEEP_ALIVE_EXTRA_MS].map(async (idleMs) => {
      const socket = await open((_request, response) => response.end(), idleMs)
      socket.write(REQUEST)
      await within(CLOSED_MS_MAX, once(socket, 'data'))
      await closedAfterMs(socket)
    })
    await Promise.all(closings)
  })

  it('stays open before its first request', async () => {
    const socket = await open((_request, response) => response.end('first'))
    await wait(KEEP_ALIVE_MS + IDLE_MS)
    socket.write(REQUEST)
    const [answer] = await within(CLOSED_MS_MAX, once(socket, 'data'))
    expect(String(answer)).to.match(/first$/)
  })
})
