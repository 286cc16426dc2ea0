// Tests the warm-up of a gateway.
import { expect } from 'chai'
import { serve } from '../../gateway/server.ts'
import { warmUpGateway } from '../../gateway/warm-up.ts'
import { findFreePort } from '../../local/tools/ports.ts'
import { openQueue } from '../../shared/runtime/queues.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { KEYS } from '../support/databases.ts'
import { createDesk } from '../support/factories.ts'
import { Client } from '../support/http/http.ts'
import { openRedis } from '../support/redis.ts'
import { countRows } from '../support/schema.ts'
import { eventually } from '../support/time.ts'
import { useWorld } from '../support/world.ts'

type Line = { msg: string; answered?: number; route?: string }

describe('the warm-up of a gateway', () => {
  const world = useWorld({ workers: [] })

  async function startWarmGateway(changes: Partial<typeof world.config> = {}, warmUp = warmUpGateway) {
    const lines: Line[] = []
    const log = createLog('gateway', 'debug', { write: (line) => void lines.push(JSON.parse(line)) })
    const gateway = await serve({ ...world.config, ...changes }, log, undefined, warmUp)
    return { lines, gateway, url: `http://127.0.0.1:${gateway.port}` }
  }

  it('sends requests that leave no row, job, metric or line in the log', async () => {
    await createDesk(world.database)
    const before = await countRows(world.database)
    // A very busy machine may not answer any request in time.
    const { lines, gateway, url } = await eventually(async () => {
      const started = await startWarmGateway()
      const isWarm = started.lines.some(({ answered = 0 }) => answered > 0)
      if (!isWarm) await started.gateway.stop()
      expect(isWarm).to.equal(true)
      return started
    })
    const redis = openRedis(world.config)
    const queue = openQueue('writes', redis, KEYS)
    const [jobs, keys] = [await queue.getJobs(), await redis.keys('*token:0*')]
    await queue.close()
    redis.disconnect()
    const figures = (await new Client(url).get('/metrics')).text
    await gateway.stop()
    expect(lines.filter(({ msg, route }) => msg === 'request' && route !== '/metrics')).to.deep.equal([])
    expect(figures).to.not.match(/berth_http_request_duration_seconds_count/)
    expect(await countRows(world.database)).to.deep.equal(before)
    expect(jobs.map(({ name }) => name)).to.deep.equal([])
    expect(keys).to.deep.equal([])
  })

  it('ends before anybody can connect', async () => {
    let endWarmUp: () => void = () => undefined
    const warmUp = () =>
      new Promise<void>((resolve) => {
        endWarmUp = resolve
      })
    const port = await findFreePort()
    const started = startWarmGateway({ port }, warmUp)
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await isReady()).to.equal(false)
    endWarmUp()
    const { gateway } = await started
    expect(await isReady()).to.equal(true)
    await gateway.stop()
  })

  it('lets the gateway start without Postgres', async () => {
    const { lines, gateway, url } = await startWarmGateway({
      databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
    })
    const { status } = await new Client(url).get('/healthz')
    await gateway.stop()
    expect(lines.map(({ msg }) => msg)).to.include('the warm-up failed: the first requests take longer')
    expect(status).to.equal(200)
  })
})
