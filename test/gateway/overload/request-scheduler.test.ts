import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { RequestScheduler } from '../../../gateway/overload/request-scheduler.ts'
import { eventually } from '../../support/time.ts'
import { use } from '../../support/use.ts'

const CALLER_COUNT = 100
const WORK_MS = 1

describe('scheduled requests', () => {
  const made = use(begin, { each: true, close: ({ close }) => close() })

  async function begin() {
    const turns = new RequestScheduler()
    const server = createServer()
    const counted = {
      connections: 0,
      answers: 0,
      answersBeforeLast: 0,
      urls: [] as string[],
      isBehind: false,
    }
    const listener: RequestListener = ({ url = '' }, response) => {
      for (const untilMs = performance.now() + WORK_MS; performance.now() < untilMs; );
      counted.answers++
      counted.urls.push(url)
      counted.isBehind ||= turns.isBehind
      response.end()
    }
    turns.serve(server, listener)
    server.on('connection', () => {
      counted.connections++
      if (counted.connections === CALLER_COUNT) counted.answersBeforeLast = counted.answers
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const sockets: Socket[] = []
    return {
      turns,
      counted,
      open(onData?: (socket: Socket) => void): Socket {
        const socket = connect(port, '127.0.0.1')
        if (onData) socket.on('data', () => onData(socket))
        sockets.push(socket)
        return socket
      },
      close() {
        for (const socket of sockets) socket.destroy()
        server.close()
      },
    }
  }

  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

  it('leave time for new connections while many clients send one request after another', async () => {
    const { counted, open } = made
    const ask = (socket: Socket) => void socket.write(request('/'))
    for (let caller = 0; caller < CALLER_COUNT; caller++) ask(open(ask))
    await eventually(() => expect(counted.connections).to.equal(CALLER_COUNT))
    // The scheduler serves one connection per turn. If it visited every caller in each turn, the count would be
    // quadratic.
    expect(counted.answersBeforeLast).to.be.below(10 * CALLER_COUNT)
    await eventually(() => expect(counted.answers).to.be.above(counted.answersBeforeLast + 5 * CALLER_COUNT))
  })

  it('are all answered in order of arrival', async () => {
    const { turns, counted, open } = made
    const sockets = Array.from({ length: 60 }, () => open())
    await eventually(() => expect(counted.connections).to.equal(60))
    sockets.forEach((socket, index) => {
      socket.write(request(`/${index}`))
    })
    await eventually(() => expect(counted.answers).to.equal(60))
    expect(counted.urls).to.deep.equal(sockets.map((_, index) => `/${index}`))
    expect(turns.isBehind).to.equal(false)
  })

  it('count as delayed while more arrive than can start, but not after a pause of the process', async () => {
    const { turns, counted, open } = made
    const connected = async (callers: number, onData?: (socket: Socket) => void) => {
      const before = counted.connections
      const sockets = Array.from({ length: callers }, () => open(onData))
      await eventually(() => expect(counted.connections).to.equal(before + callers))
      return sockets
    }
    for (const socket of await connected(20)) socket.write(request('/'))
    await new Promise((resolve) => setImmediate(resolve))
    for (const untilMs = performance.now() + 1_000; performance.now() < untilMs; );
    await eventually(() => expect(counted.answers).to.equal(20))
    expect(counted.isBehind, 'after a pause').to.equal(false)

    // Each request takes a millisecond, so a full round takes as many milliseconds as there are callers.
    let isOver = false
    const ask = (socket: Socket) => void (isOver || socket.write(request('/')))
    for (const socket of await connected(600, ask)) ask(socket)
    await eventually(() => expect(turns.isBehind).to.equal(true))
    isOver = true
    await eventually(() => expect(turns.isBehind).to.equal(false))
  })
})
