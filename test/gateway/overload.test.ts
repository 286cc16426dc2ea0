// Tests an overloaded gateway: it refuses excess requests immediately with an error, and all other requests
// continue.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { useConnection } from '../support/databases.ts'
import { createDesk } from '../support/factories.ts'
import { parseMetrics, sumMetrics } from '../support/figures.ts'
import { Client } from '../support/http/http.ts'
import { eventually } from '../support/time.ts'
import { useWorld, type World } from '../support/world.ts'

async function readMetrics({ url }: World) {
  const figures = parseMetrics((await new Client(url).get('/metrics')).text)
  return {
    underWay: (kind: string) => sumMetrics(figures, 'berth_under_way', { kind }),
    waiting: (kind: string) => sumMetrics(figures, 'berth_waiting', { kind }),
    refused: (reason: string) => sumMetrics(figures, 'berth_refusals_total', { reason }),
  }
}

const createRange = (hour: number) => ({
  from_time: new Date(Date.UTC(2090, 0, 1, hour)).toISOString(),
  to_time: new Date(Date.UTC(2090, 0, 1, hour + 1)).toISOString(),
})

describe('writes beyond the limit of a gateway', () => {
  const MAX = 3
  const lines: Array<{ level: number; msg: string; route?: string; status?: number }> = []
  const world = useWorld({
    workers: [],
    // Prevents writes from timing out during the test.
    environment: { WRITES_UNDER_WAY_MAX: String(MAX), WRITE_WAIT_MS: '240000' },
    onLog: (line) => lines.push(JSON.parse(line)),
  })

  it('are refused immediately, while admitted writes finish and reads continue', async () => {
    const client = await world.client()
    const desk = await createDesk(world.database)
    const book = (hour: number) => client.post('bookings', { ...desk, ...createRange(hour) })
    const underWay = Array.from({ length: MAX }, (_, hour) => book(hour))
    await eventually(async () => expect((await readMetrics(world)).underWay('writes')).to.equal(MAX))
    const waiting = Array.from({ length: MAX }, (_, hour) => book(MAX + hour))
    await eventually(async () => expect((await readMetrics(world)).waiting('writes')).to.equal(MAX))

    const answer = await book(2 * MAX)
    expect([answer.status, answer.json.code]).to.deep.equal([503, 'unavailable'])
    expect(answer.headers.get('Retry-After')).to.equal('2')
    expect(answer.json.message).to.equal(
      'Too many writes are waiting. Nothing was changed; try again shortly.',
    )
    // The gateway refuses the request before it reads the body.
    expect((await client.ask('bookings', { method: 'POST', raw: '{' })).status).to.equal(503)
    expect((await client.get('buildings')).status).to.equal(200)
    expect((await readMetrics(world)).refused('writes_overload')).to.be.at.least(2)

    const said = lines.filter(({ msg, level }) => msg.startsWith('Too many writes') && level >= 40)
    expect(said, 'lines of the state').to.have.lengthOf(1)
    const requests = lines.filter(({ status, level }) => status === 503 && level >= 30)
    expect(requests, 'lines of requests that were refused').to.deep.equal([])

    await world.startWorkers()
    expect((await Promise.all(underWay)).map(({ status }) => status)).to.deep.equal([200, 200, 200])
    // Further writes wait only briefly, so they may be refused.
    for (const { status } of await Promise.all(waiting)) expect(status).to.be.oneOf([200, 503])
    expect((await book(2 * MAX)).status).to.equal(200)
    expect((await readMetrics(world)).underWay('writes')).to.equal(0)
  })
})

describe('the writes of one token', () => {
  const world = useWorld({
    workers: [],
    environment: { WRITES_UNDER_WAY_MAX: '300', WRITE_WAIT_MS: '240000' },
  })

  it('count by the number of bookings in each write, and leave other tokens their share of the limit', async () => {
    const [greedy, other] = [await world.client(), await world.client()]
    const desk = await createDesk(world.database)
    const series = (hour: number) =>
      greedy.post('bookings/series', { ...desk, ...createRange(hour), repeat: { every: 'day', count: 366 } })
    const batch = (hour: number) =>
      greedy.post('bookings/batch', { bookings: [{ ...desk, ...createRange(hour) }], atomic: false })
    const shows = (underWay: number, waiting: number) =>
      eventually(async () => {
        const figures = await readMetrics(world)
        expect([figures.underWay('writes'), figures.waiting('writes')]).to.deep.equal([underWay, waiting])
      })
    const asked = [series(1)]
    await shows(366, 0)
    asked.push(batch(2))
    await shows(366, 1)
    asked.push(other.post('bookings', { ...desk, ...createRange(3) }))
    await shows(367, 1)
    await world.startWorkers()
    const [first, waited, single] = (await Promise.all(asked)).map(({ status }) => status)
    expect([first, single]).to.deep.equal([200, 200])
    // A write waits only briefly for a free slot, so a busy machine may refuse it with 503.
    expect(waited).to.be.oneOf([200, 503])
    await shows(0, 0)
  })
})

describe('reads beyond the limit of a gateway', () => {
  const MAX = 8
  // Refused clients retry after a pause, so that they do not use up the CPU.
  const PAUSE_MS = 50
  const world = useWorld({
    workers: [],
    environment: {
      DATABASE_CONNECTIONS_MAX: '1',
      READS_UNDER_WAY_MAX: String(MAX),
      RATE_LIMIT_PER_MINUTE: '100000',
    },
  })
  const holder = useConnection(world, { connectionsMax: 1 })

  it('are refused, while token checks, writes and readiness checks do not wait for them', async () => {
    const client = await world.client()
    const lock = await holder.transaction()
    await lock.raw('LOCK TABLE buildings')
    let isOver = false
    const messages = new Set<string>()
    const pollers = Array.from({ length: 2 * MAX }, async () => {
      while (!isOver) {
        messages.add((await client.get('buildings?limit=1')).json.message)
        await wait(PAUSE_MS)
      }
    })
    try {
      await eventually(async () => {
        const { refused } = await readMetrics(world)
        expect(refused('reads_overload'), 'refused at once').to.be.above(0)
        expect(refused('database_busy'), 'no connection in time').to.be.above(0)
      })
      const ready = await new Client(world.url).get('/readyz')
      expect([ready.status, ready.json.postgres]).to.deep.equal([200, { ok: true }])
      const { status, json } = await client.post('bookings', {})
      expect([status, json.code], 'its token was found').to.deep.equal([422, 'validation_failed'])
    } finally {
      await lock.rollback()
      isOver = true
      await Promise.all(pollers)
    }
    expect(messages).to.include('Too many reads are waiting. Nothing was changed; try again shortly.')
    expect(messages).to.include(
      'Too many requests are waiting for the database. Nothing was changed; try again shortly.',
    )
    await eventually(async () => expect((await client.get('buildings?limit=1')).status).to.equal(200))
    expect((await readMetrics(world)).underWay('reads')).to.equal(0)
  })
})
