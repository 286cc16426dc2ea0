// Tests temporary refusals of requests: they are counted by reason, and logged once instead of once per
// request.
import { expect } from 'chai'
import { parseMetrics, sumMetrics } from '../../../support/figures.ts'
import { Client } from '../../../support/http/http.ts'
import { useWorld, type World } from '../../../support/world.ts'

type LogLine = { level: number; msg: string; route?: string }

const WARNING_LEVEL = 40
// A port at which nothing listens.
const UNUSED_PORT = '1'

async function readRefusals({ url }: World): Promise<Record<string, number>> {
  const figures = parseMetrics((await new Client(url).get('/metrics')).text)
  const reasons = figures
    .filter(({ name }) => name === 'berth_refusals_total')
    .map(({ labels }) => labels.reason)
  return Object.fromEntries(
    reasons.map((reason = '') => [reason, sumMetrics(figures, 'berth_refusals_total', { reason })]),
  )
}

describe('refusals counted in the metrics', () => {
  const lines: LogLine[] = []
  const world = useWorld({ workers: [], onLog: (line) => lines.push(JSON.parse(line)) })
  const said = (text: string) =>
    lines.filter(({ msg, level }) => level >= WARNING_LEVEL && msg.startsWith(text))

  it('have the reason “Redis” while Redis is down', async () => {
    const { token } = await world.client()
    const { url } = await world.startGateway({ REDIS_URL: `redis://127.0.0.1:${UNUSED_PORT}` })
    const client = new Client(url, token)
    for (let number = 0; number < 3; number++)
      expect((await client.delete('bookings/1')).status).to.equal(503)
    expect((await client.get('buildings')).status).to.equal(200)
    expect(await readRefusals({ ...world, url })).to.deep.equal({ redis_away: 3 })
    expect(said('The write queue is unavailable')).to.have.lengthOf(1)
  })

  it('have the reason “Postgres” while Postgres is down', async () => {
    const { token } = await world.client()
    const address = new URL(world.databaseUrl)
    address.port = UNUSED_PORT
    const { url } = await world.startGateway({ DATABASE_URL: address.href })
    const client = new Client(url, token)
    for (let number = 0; number < 3; number++) expect((await client.get('buildings')).status).to.equal(503)
    expect(await readRefusals({ ...world, url })).to.deep.equal({ database_away: 3 })
    expect(said('The database is unavailable')).to.have.lengthOf(1)
  })

  it('cause no warning in the log if a limit is the reason', async () => {
    const { token } = await world.client()
    const { url } = await world.startGateway({ RATE_LIMIT_PER_MINUTE: '2' })
    const client = new Client(url, token)
    const statuses = []
    for (let number = 0; number < 4; number++) statuses.push((await client.get('buildings')).status)
    expect(statuses).to.deep.equal([200, 200, 429, 429])
    expect(await readRefusals({ ...world, url })).to.deep.equal({ rate_limited: 2 })
    expect(said('This token is limited')).to.deep.equal([])
  })
})
