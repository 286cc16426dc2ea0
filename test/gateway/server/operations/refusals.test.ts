// Temporary refusals of requests: counted by reason, and logged once instead of once a request.
import { expect } from 'chai'
import { parseFigures, sumOf } from '../../../support/figures.ts'
import { Client } from '../../../support/http/http.ts'
import { useWorld, type World } from '../../../support/world.ts'

type Line = { level: number; msg: string; route?: string }

const WARNING = 40
// Nothing ever listens there.
const NOBODYS_PORT = '1'

async function refusalsOf({ url }: World): Promise<Record<string, number>> {
  const figures = parseFigures((await new Client(url).get('/metrics')).text)
  const reasons = figures
    .filter(({ name }) => name === 'berth_refusals_total')
    .map(({ labels }) => labels.reason)
  return Object.fromEntries(
    reasons.map((reason = '') => [reason, sumOf(figures, 'berth_refusals_total', { reason })]),
  )
}

describe('refusals', () => {
  const lines: Line[] = []
  const world = useWorld({ workers: [], onLog: (line) => lines.push(JSON.parse(line)) })
  const said = (text: string) => lines.filter(({ msg, level }) => level >= WARNING && msg.startsWith(text))

  it('count as “Redis” while Redis is down', async () => {
    const { token } = await world.client()
    const { url } = await world.startGateway({ REDIS_URL: `redis://127.0.0.1:${NOBODYS_PORT}` })
    const client = new Client(url, token)
    for (let number = 0; number < 3; number++)
      expect((await client.delete('bookings/1')).status).to.equal(503)
    expect((await client.get('buildings')).status).to.equal(200)
    expect(await refusalsOf({ ...world, url })).to.deep.equal({ redis_away: 3 })
    expect(said('The write queue is unavailable')).to.have.lengthOf(1)
  })

  it('count as “Postgres” while Postgres is down', async () => {
    const { token } = await world.client()
    const address = new URL(world.databaseUrl)
    address.port = NOBODYS_PORT
    const { url } = await world.startGateway({ DATABASE_URL: address.href })
    const client = new Client(url, token)
    for (let number = 0; number < 3; number++) expect((await client.get('buildings')).status).to.equal(503)
    expect(await refusalsOf({ ...world, url })).to.deep.equal({ database_away: 3 })
    expect(said('The database is unavailable')).to.have.lengthOf(1)
  })

  it('are counted without a warning if a limit is the reason', async () => {
    const { token } = await world.client()
    const { url } = await world.startGateway({ RATE_LIMIT_PER_MINUTE: '2' })
    const client = new Client(url, token)
    const statuses = []
    for (let number = 0; number < 4; number++) statuses.push((await client.get('buildings')).status)
    expect(statuses).to.deep.equal([200, 200, 429, 429])
    expect(await refusalsOf({ ...world, url })).to.deep.equal({ rate_limited: 2 })
    expect(said('This token is limited')).to.deep.equal([])
  })
})
