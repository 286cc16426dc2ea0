// Tests the shutdown of a gateway behind a proxy with keep-alive connections: every request is answered, and
// connections close in time.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { ServerDrain } from '../../gateway/drain.ts'
import { createDesk, hoursFromNow } from '../support/factories.ts'
import { fetchMetrics, sumMetrics } from '../support/figures.ts'
import { killChildren, startGatewayProcess } from '../support/processes.ts'
import { eventually, promised, within } from '../support/time.ts'
import { useWorld } from '../support/world.ts'

const ENDED_MS_MAX = promised(5_000)
const GRACE_MS = 300
const KEEP_ALIVE_ANSWER = /^HTTP\/1\.1 200 .*Connection: keep-alive/s
const CLOSING_ANSWER = /^HTTP\/1\.1 200 .*Connection: close/s

describe('a gateway that shuts down', function () {
  this.timeout(120_000)
  const world = useWorld({ workers: [] })
  let token: string | undefined

  before(async () => {
    token = (await world.client('booking-write')).token
  })
  afterEach(() => killChildren())

  const start = (environment: Record<string, string>) => {
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = world
    return startGatewayProcess({ DATABASE_URL, REDIS_URL, ...environment })
  }
  const open = (url: string) => connect(Number(new URL(url).port), '127.0.0.1')
  /** Returns the status line and headers of an answer. */
  const ask = async (socket: Socket, path: string, body?: unknown) => {
    const sent = body === undefined ? '' : JSON.stringify(body)
    const head = [
      `${sent ? 'POST' : 'GET'} ${path} HTTP/1.1`,
      'Host: berth.example',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(sent)}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n${sent}`)
    let answer = ''
    while (!answer.includes('\r\n\r\n')) answer += String((await once(socket, 'data'))[0])
    return answer.split('\r\n\r\n')[0]
  }

  it('answers during its grace period, closes each connection after an answer, and reports not ready', async () => {
    const gateway = await start({ LAME_DUCK_MS: '100000', DRAIN_MS: '120000', WRITE_WAIT_MS: '60000' })
    const kept = open(gateway.url)
    expect(await ask(kept, '/healthz')).to.match(KEEP_ALIVE_ANSWER)
    // No worker runs yet, so the booking waits.
    const booking = { ...(await createDesk(world.database)), to_time: hoursFromNow(2) }
    const underWay = ask(open(gateway.url), '/api/v1/bookings', booking)
    await eventually(async () => {
      const figures = await fetchMetrics(gateway.url)
      expect(sumMetrics(figures, 'berth_under_way', { kind: 'writes' })).to.equal(1)
    })
    gateway.kill('SIGTERM')
    await gateway.line('draining')
    await world.startWorkers(['writes'])
    expect(await underWay, 'asked before').to.match(CLOSING_ANSWER)
    expect(await ask(kept, '/healthz'), 'on a connection that was kept').to.match(CLOSING_ANSWER)
    const ready = await fetch(`${gateway.url}/readyz`)
    expect([ready.status, ready.headers.get('Connection')], 'on a new one').to.deep.equal([503, 'close'])
    expect(await ready.json()).to.deep.include({ status: 'stopping', postgres: { ok: true } })
  })

  it('closes idle connections after the grace period, and exits with code 0', async () => {
    const gateway = await start({ LAME_DUCK_MS: String(GRACE_MS) })
    expect(await ask(open(gateway.url), '/healthz')).to.match(KEEP_ALIVE_ANSWER)
    gateway.kill('SIGTERM')
    expect(await within(ENDED_MS_MAX, gateway.ended)).to.equal(0)
    const [begun, ended] = [await gateway.line('draining'), await gateway.line('stopped')]
    expect(Number(ended.time) - Number(begun.time)).to.be.at.least(GRACE_MS)
  })
})

describe('a server that drains', () => {
  it('answers requests sent before it closed, even on a connection that was just opened', async () => {
    const server = createServer((_request, response) => response.end('answered'))
    const drain = new ServerDrain(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    await once(server, 'connection')
    const finished = drain.finish()
    socket.write('GET / HTTP/1.1\r\nHost: berth.example\r\n\r\n')
    const answer = await text(socket)
    expect(answer).to.match(/^HTTP\/1\.1 200 .*Connection: close.*answered$/s)
    await within(ENDED_MS_MAX, finished)
  })

  it('answers connections that it has not yet accepted when the drain begins', async () => {
    const server = createServer((_request, response) => response.end('answered'))
    const drain = new ServerDrain(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'))
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: berth.example\r\n\r\n')
    await once(server, 'connection')
    const finished = drain.finish()
    const answers = await Promise.all(sockets.map((socket) => text(socket).catch(String)))
    expect(answers.filter((answer) => !/^HTTP\/1\.1 200 .*answered$/s.test(answer))).to.deep.equal([])
    await within(ENDED_MS_MAX, finished)
  })
})
