// Tests the health page of the queues: a summary in one sentence, the waiting jobs, the workers, and the
// failures.

import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { countJobsOfLastHour } from '../../../../../gateway/web/admin/queues/health.ts'
import { QUEUES } from '../../../../../shared/schemas/job.ts'
import { Browser, createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { failJob } from '../../../../support/dashboard/failed-jobs.ts'
import { createBuilding } from '../../../../support/factories.ts'
import { createSlot, openQueueOf, openWrites } from '../../../../support/faults/pipeline.ts'
import { startProxy } from '../../../../support/faults/proxy.ts'
import { eventually, measureTime, promised } from '../../../../support/time.ts'
import { createWorld, useWorld } from '../../../../support/world.ts'

const QUEUE_HEALTH_PATH = '/dashboard/queue-health'

describe('the queue health page of the dashboard', () => {
  const world = useWorld({ each: true, workers: [...QUEUES] })
  const browser = useSignedIn(world)

  const expectWords = (...expected: Array<string | RegExp>) =>
    eventually(async () => {
      await browser.open(QUEUE_HEALTH_PATH)
      for (const each of expected) {
        if (typeof each === 'string') expect(browser.words).to.include(each)
        else expect(browser.words).to.match(each)
      }
    })

  it('says that all systems are normal, which workers run, and how many jobs are done', async () => {
    const client = await world.client()
    expect((await client.post('bookings', await createSlot(world))).status).to.equal(200)
    await expectWords(
      'All systems normal: no job has been waiting long, and no failed jobs remain from the last hour.',
      /writes 0 – [\d.]+ m?s 0 1 0 1/,
      /writes-\d+ writes 127\.0\.0\.1:\d+ just now/,
      'Redis up Postgres up Migrations up to date E-mail not set up',
      'No failed jobs.',
    )
    await browser.open('/dashboard')
    expect(browser.words).to.include('All systems normal')
  })

  it('does not count jobs scheduled for later as waiting', async () => {
    const { queue, close } = openQueueOf(world, 'upkeep')
    // Scheduled upkeep jobs start immediately, and wait for each other.
    await expectWords(/upkeep 0 – [\d.]+ m?s 0 [5-9] 0 1/)
    for (let number = 0; number < 8; number++) await queue.add('upkeep.requeue', {}, { delay: 1_200 })
    await expectWords(/upkeep 0 – \d+ ms 0 1[3-9] 0 1/)
    await close()
  })

  it('groups failures by their common cause', async () => {
    const { queue, close } = openWrites(world)
    for (let number = 0; number < 3; number++) await failJob(queue, { number })
    const last = await failJob(queue, {}, 'nothing.known')
    await expectWords(
      '4 jobs in the “writes” queue failed in the last hour.',
      /bookings\.create Not a valid payload 3 just now View/,
      /unknown job There is no job 1 just now View/,
    )
    expect(browser.page.text).to.include(`/dashboard/queues/writes/jobs/${last}`)
    await close()
  })

  it('describes a failed job the same way everywhere, even after a failed retry or its removal', async () => {
    const { queue, close } = openQueueOf(world, 'exports')
    const job = await queue.getJob(await failJob(queue, { isForgotten: false }, 'users.export'))
    const isOne = () =>
      expectWords('One job in the “exports” queue failed in the last hour.', /exports 0 – .{1,20} 0 \d+ 1 1/)
    await isOne()
    await job?.updateData({ isForgotten: true })
    await job?.retry()
    await expectWords(/users\.export Left undone: its deadline has passed 1 just now View/)
    await isOne()
    await job?.remove()
    await expectWords('All systems normal', 'No failed jobs.', /exports 0 – .{1,20} 0 \d+ 0 1/)
    await close()
  })

  it('says if a queue is paused, and how many jobs wait in it', async () => {
    const { queue, close } = openQueueOf(world, 'exports')
    await queue.pause()
    await queue.add('users.export', {}, { jobId: randomUUID() })
    await expectWords(
      'The “exports” queue is paused. Its jobs wait until someone resumes it. One job is waiting.',
      /exports paused 1 \d/,
    )
    await browser.open('/dashboard')
    expect(browser.words).to.include('The “exports” queue is paused')
    await close()
  })

  it('shows accepted imports and exports with their progress', async () => {
    const { queue, close } = openQueueOf(world, 'exports')
    await queue.pause()
    const client = await world.client('user-write')
    const accepted = await client.get('users/export?format=csv', { Prefer: 'respond-async' })
    expect(accepted.status).to.equal(202)
    await world.database('jobs').update({ state: 'running', progress: 42 })
    await expectWords(/Export of people running 42 % 42 %/)
    const created = new Date()
    await world.database('jobs').update({ name: 'bookables.plan-import', created_at: created })
    await createBuilding(world.database, { timezone: 'Asia/Tokyo' })
    const inTokyo = { timeZone: 'Asia/Tokyo', dateStyle: 'medium', timeStyle: 'short' } as const
    const time = created.toLocaleString('en-GB', inTokyo)
    await expectWords(`Import of desks, rooms and parking running 42 % 42 % ${time}`)
    await world.database('jobs').update({ name: 'users.export' })
    await browser.open('/dashboard')
    expect(browser.words).to.match(/Export of people running 42 %/)
    await close()
  })
})

describe('the queue health page, when something is down', () => {
  it('names the queues without workers', async () => {
    const world = await createWorld({ workers: ['writes'] })
    const browser = await createSignedIn(world)
    // The worker of this test may not be listed yet, and workers of another test may still be listed.
    await eventually(async () => {
      await browser.open(QUEUE_HEALTH_PATH)
      for (const name of ['imports', 'exports', 'upkeep']) {
        expect(browser.words).to.include(`No worker is running for the “${name}” queue.`)
      }
      expect(browser.page.text.match(/No worker is running/g), 'said once each').to.have.length(3)
    })
    await world.close()
  })

  it('answers within two seconds and shows an error if Redis is down or hangs, like other pages', async () => {
    const world = await createWorld({ workers: [] })
    const signedIn = await createSignedIn(world)
    const proxy = await startProxy(world.redisUrl)
    const { url } = await world.startGateway({ REDIS_URL: proxy.url })
    const browser = new Browser(url)
    for (const [name, value] of signedIn.cookies) browser.cookies.set(name, value)
    await eventually(async () => {
      await browser.open(QUEUE_HEALTH_PATH)
      expect(browser.words).to.include('Redis up')
    })
    for (const outage of ['freeze', 'cut'] as const) {
      await proxy[outage]()
      for (const path of [QUEUE_HEALTH_PATH, '/dashboard']) {
        const { answer, tookMs } = await measureTime(() => browser.open(path))
        expect(answer.status, `${path} ${outage}`).to.equal(200)
        expect(tookMs, `${path} ${outage}`).to.be.lessThan(promised(2_000))
      }
      await eventually(async () => {
        await browser.open(QUEUE_HEALTH_PATH)
        expect(browser.words).to.include('Redis is not responding. Nothing can be changed until it is back.')
        expect(browser.words).to.include('Redis down')
        expect(browser.words).to.include('Postgres up')
      })
      const board = await measureTime(() => browser.open('/dashboard/queues/writes'))
      expect([board.answer.status, board.tookMs < promised(2_000)]).to.deep.equal([503, true])
      await proxy.restore()
      await eventually(async () => {
        await browser.open(QUEUE_HEALTH_PATH)
        expect(browser.words).to.include('Redis up')
      })
    }
    await world.close()
    await proxy.close()
  })
})

describe('the number of jobs done in the last hour', () => {
  const minute = 60_000
  const now = 100_000 * minute + 30_000
  // BullMQ stores the figures of a minute when the first job of a later minute ends. The newest minute comes first.
  const counted = (minutesAgo: number, data: number[], since = 0) => ({
    meta: { count: 1_000 + since, prevCount: 1_000, prevTS: now - minutesAgo * minute },
    data,
  })

  it('is the sum of the stored minutes and the jobs since then', () => {
    expect(countJobsOfLastHour(counted(0, [1, 2, 4], 8), now)).to.equal(15)
  })

  it('excludes older minutes, even after the queue has been idle for a long time', () => {
    expect(countJobsOfLastHour(counted(57, [1, 2, 4], 8), now)).to.equal(8 + 1 + 2)
    expect(countJobsOfLastHour(counted(60, [1, 2, 4], 8), now)).to.equal(0)
    expect(countJobsOfLastHour(counted(0, Array(120).fill(1)), now)).to.equal(59)
  })

  it('is 0 if no job was ever completed', () => {
    expect(countJobsOfLastHour({ meta: { count: 0, prevCount: 0, prevTS: 0 }, data: [] }, now)).to.equal(0)
  })
})
