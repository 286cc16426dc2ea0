import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { Turns } from '../../../shared/utilities/turns.ts'
import { eventually } from '../../support/time.ts'
import { use } from '../../support/use.ts'

const CALLERS = 100
const WORK_MS = 1

describe('requests in turns', () => {
  const made = use(begin, { each: true, close: ({ close }) => close() })

  async function begin() {
    const turns = new Turns()
    const server = createServer()
    const counted = { connections: 0, answers: 0, answersBeforeLast: 0, urls: [] as string[], delayMsMax: 0 }
    const listener: RequestListener = ({ url = '' }, response) => {
      for (const untilMs = performance.now() + WORK_MS; performance.now() < untilMs; );
      counted.answers++
      counted.urls.push(url)
      counted.delayMsMax = Math.max(counted.delayMsMax, turns.delayMs)
      response.end()
    }
    turns.serve(server, listener)
    server.on('connection', () => {
      counted.connections++
      if (counted.connections === CALLERS) counted.answersBeforeLast = counted.answers
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

  it('leave time for those who connect, beside many who ask again and again', async () => {
    const { counted, open } = made
    const ask = (socket: Socket) => void socket.write(request('/'))
    for (let caller = 0; caller < CALLERS; caller++) ask(open(ask))
    await eventually(() => expect(counted.connections).to.equal(CALLERS))
    // One connection a turn: would each turn answer everybody who is there, it were half of CALLERS squared.
    expect(counted.answersBeforeLast).to.be.below(10 * CALLERS)
    await eventually(() => expect(counted.answers).to.be.above(counted.answersBeforeLast + 5 * CALLERS))
  })

  it('are all answered, in the order in which they came, and meanwhile say how long the first one waits', async () => {
    const { turns, counted, open } = made
    const sockets = Array.from({ length: 60 }, () => open())
    await eventually(() => expect(counted.connections).to.equal(60))
    sockets.forEach((socket, index) => {
      socket.write(request(`/${index}`))
    })
    await eventually(() => expect(counted.answers).to.equal(60))
    expect(counted.urls).to.deep.equal(sockets.map((_, index) => `/${index}`))
    expect(counted.delayMsMax).to.be.above(0)
    expect(turns.delayMs).to.equal(0)
  })
})
