// Plants names, e-mails, plates, tokens, passwords and links in every kind of request and page, and then searches the
// logs, Redis an hour later, the queue pages and the metrics, which must not contain them.
import { expect } from 'chai'
import { createAdmin } from '../../shared/administrators/admin-store.ts'
import { openQueue } from '../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../shared/schemas/job.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { runUpkeep } from '../../workers/pollers/upkeep.ts'
import { createSignedIn } from '../support/dashboard/dashboard.ts'
import { KEYS } from '../support/databases.ts'
import { ownIdentity } from '../support/faults/pipeline.ts'
import { startTraces } from '../support/http/trace-collector.ts'
import { openRedis } from '../support/redis.ts'
import { eventually } from '../support/time.ts'
import { use, useWith } from '../support/use.ts'
import { useWorld } from '../support/world.ts'
import { createMarkedPlaces, sendMarkedRequests } from './support/api-requests.ts'
import { findPlanted, STEM } from './support/marks.ts'
import { useMarkedDashboard } from './support/page-requests.ts'
import { ageRedis, readRedisContents } from './support/redis-contents.ts'

const HOUR_MS = 3_600_000

describe('a value planted in every request and page', function suite() {
  this.timeout(300_000)
  const lines: string[] = []
  // Starts before connections are made, because their statements are traced.
  const traces = use(() => startTraces(), { close: (started) => started.close() })
  const world = useWorld({
    workers: [...QUEUES],
    onLog: (line) => void lines.push(line),
    environment: { RATE_LIMIT_PER_MINUTE: '100000', WRITE_WAIT_MS: '50000' },
  })
  const redis = useWith(
    world,
    () => openRedis(world.config),
    (connection) => connection.disconnect(),
  )
  const queues = useWith(
    world,
    () => QUEUES.map((name) => openQueue(name, redis, KEYS)),
    (all) => Promise.all(all.map((queue) => queue.close())),
  )
  let secrets: string[] = []
  const queueOf = (name: QueueName) => queues[QUEUES.indexOf(name)] ?? expect.fail(name)

  before(async () => {
    const link = await eventually(() => {
      const found = /"link":"([^"]+)"/.exec(lines.join(''))?.[1]
      return found ?? expect.fail('No link was logged')
    })
    const places = await createMarkedPlaces(world)
    secrets = [
      ...(await sendMarkedRequests(world, places)),
      ...(await useMarkedDashboard(world, places, link)),
    ]
    expect(secrets.filter((each) => each.length < 20)).to.deep.equal([])
    await eventually(async () => {
      for (const queue of queues) expect(await queue.getJobCountByTypes('active', 'waiting')).to.equal(0)
    })
  })

  it('is found in Redis while a job runs, which proves that the search works', async () => {
    expect(findPlanted(await readRedisContents(redis))).to.not.deep.equal([])
    expect(findPlanted(Buffer.from(`a ${STEM} b`).toString('base64'))).to.have.length(1)
  })

  it('is in no log line, except for the link that creates the first administrator', () => {
    const [announced, ...others] = lines.filter((line) => line.includes('"link"'))
    expect(others).to.deep.equal([])
    const found = lines.filter((line) => line !== announced).flatMap((line) => findPlanted(line, secrets))
    expect(lines.length).to.be.greaterThan(300)
    expect(found).to.deep.equal([])
  })

  it('is not shown on the queue pages', async () => {
    await createAdmin(world.database, {
      email: 'another@example.com',
      password: 'a long and simple sentence',
    })
    const browser = await createSignedIn(world, 'another@example.com')
    const shown = [(await browser.open('/dashboard/queue-health')).text]
    for (const [index, queue] of queues.entries()) {
      const path = `/dashboard/queues/${QUEUES[index]}`
      for (const state of ['failed', 'running', 'waiting', 'scheduled', 'done'])
        shown.push((await browser.open(`${path}?state=${state}`)).text)
      for (const { id } of await queue.getJobs(['completed', 'failed']))
        shown.push((await browser.open(`${path}/jobs/${encodeURIComponent(String(id))}`)).text)
    }
    expect(shown.join('').length).to.be.greaterThan(10_000)
    expect(shown.flatMap((text) => findPlanted(text, secrets))).to.deep.equal([])
  })

  it('is not exposed in metrics or health checks', async () => {
    for (const path of ['/metrics', '/readyz', '/healthz']) {
      const text = await (await fetch(world.url + path)).text()
      expect(findPlanted(text, secrets), path).to.deep.equal([])
    }
  })

  it('is not recorded in traces', async () => {
    await traces.flush()
    expect(traces.spans().length).to.be.greaterThan(1_000)
    expect(findPlanted(traces.text(), secrets)).to.deep.equal([])
  })

  it('is no longer in Redis after an hour', async () => {
    await ageRedis(redis, HOUR_MS + 1_000)
    await runUpkeep(
      'upkeep.sweep',
      { database: world.database, identity: ownIdentity, log: createLog('test', 'silent') },
      queueOf,
      world.config,
    )
    expect(findPlanted(await readRedisContents(redis), secrets)).to.deep.equal([])
  })

  it('is removed from a failed job after an hour, and a retry of the job does nothing', async () => {
    const writes = queueOf('writes')
    const failed = await writes.getJobs(['failed'])
    expect(failed).to.have.length(2)
    for (const job of failed) {
      expect(job.failedReason).to.match(/^error: /)
      await job.retry()
      await eventually(async () => {
        const { failedReason } = (await writes.getJob(String(job.id))) ?? expect.fail('It is gone')
        expect(failedReason).to.equal('Left undone: its deadline has passed')
      })
    }
  })
})
