// Tests the metrics of a gateway except those of requests and queues: connections, the reply channel, and
// refusals by limits.
import { expect } from 'chai'
import { startProxy } from '../../../support/faults/proxy.ts'
import { fetchMetrics, sumMetrics } from '../../../support/figures.ts'
import { Client } from '../../../support/http/http.ts'
import { sendRaw } from '../../../support/http/raw-http.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

describe('the metrics of a gateway', () => {
  const world = useWorld({
    workers: [],
    environment: { RATE_LIMIT_PER_MINUTE: '3', FAILED_SIGN_INS_PER_MINUTE: '2' },
  })

  it('show database connections by pool', async () => {
    const client = await world.client('read')
    await client.get('groups')
    const figures = await fetchMetrics(world.url)
    const max = (pool: string) => sumMetrics(figures, 'berth_database_connections_max', { pool })
    expect([max('gateway') >= 10, max('streams') >= 4, max('point-reads') >= 4]).to.deep.equal([
      true,
      true,
      true,
    ])
    expect(sumMetrics(figures, 'berth_database_connections', { pool: 'gateway' })).to.be.above(0)
    expect(sumMetrics(figures, 'berth_database_connections_awaited', { pool: 'gateway' })).to.equal(0)
  })

  it('count refused requests by the rate limit that refused them', async () => {
    const client = await world.client('read')
    for (const status of [200, 200, 200, 429, 429])
      expect((await client.get('groups')).status).to.equal(status)
    const stranger = new Client(world.url, 'berth_nobody')
    for (const status of [401, 401, 429]) expect((await stranger.get('groups')).status).to.equal(status)
    await eventually(async () => {
      const figures = await fetchMetrics(world.url)
      const refused = (limit: string) => sumMetrics(figures, 'berth_rate_limit_refusals_total', { limit })
      expect([refused('token'), refused('address'), refused('sign_in')]).to.deep.equal([2, 1, 0])
    })
  })

  it('use only known labels, regardless of the paths that clients request', async () => {
    const { host } = new URL(world.url)
    const send = (line: string) =>
      sendRaw(world.url, [`${line} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`], {
        timeoutMs: 30_000,
      })
    const paths = ['/%22%7D%201', '/api/v1/users/%0A', '/api/v1/__proto__', '/dashboard/nobody/constructor']
    for (const method of ['GET', 'PURGE', 'M-SEARCH', 'OPTIONS'])
      for (const path of paths) expect((await send(`${method} ${path}`)).status).to.be.within(200, 499)
    expect((await send('SELECT /')).status).to.be.within(400, 499)
    const figures = await fetchMetrics(world.url)
    const routes = new Set(figures.map(({ labels }) => labels.route).filter(Boolean))
    for (const route of routes)
      expect(route)
        .to.match(/^(unknown|\/[\w/{}.-]*)$/)
        .and.not.match(/proto|constructor|nobody/)
    const methods = new Set(figures.map(({ labels }) => labels.method).filter(Boolean))
    for (const method of methods) expect(method).to.be.oneOf(['GET', 'POST', 'PURGE', 'M-SEARCH', 'OPTIONS'])
  })
})

describe('the metric of a gateway’s reply channel', () => {
  const world = useWorld({ workers: [] })

  it('shows the channel as up while replies arrive without delay', async () => {
    const proxy = await startProxy(world.redisUrl)
    const { url } = await world.startGateway({ REDIS_URL: proxy.url })
    const expectUp = (up: number) =>
      eventually(async () =>
        expect(sumMetrics(await fetchMetrics(url), 'berth_reply_channel_up')).to.equal(up),
      )
    await expectUp(1)
    await proxy.cut()
    await expectUp(0)
    await proxy.restore()
    await expectUp(1)
  })
})
