// The health of the queues over HTTP: one sentence on whether all is well, the waiting jobs, the workers, and the failures.

import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { countLastHour } from '../../../../../gateway/web/admin/queues/health.ts'
import { QUEUES } from '../../../../../shared/schemas/job.ts'
import { Browser, createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { failJob } from '../../../../support/dashboard/failed-jobs.ts'
import { createBuilding } from '../../../../support/factories.ts'
import { createSlot, openQueueOf, openWrites } from '../../../../support/faults/pipeline.ts'
import { startProxy } from '../../../../support/faults/proxy.ts'
import { eventually, promised, timed } from '../../../../support/time.ts'
import { createWorld, useWorld } from '../../../../support/world.ts'

const PAGE = '/dashboard/queue-health'

describe('the health of the queues', () => {
  const world = useWorld({ each: true, workers: [...QUEUES] })
  const browser = useSignedIn(world)

  const expectWords = (...expected: Array<string | RegExp>) =>
    eventually(async () => {
      await browser.open(PAGE)
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
      'Redis up Postgres up Migrations up to date',
      'No failed jobs.',
    )
    await browser.open('/dashboard')
    expect(browser.words).to.include('All systems normal')
  })

  it('does not count jobs scheduled for later as waiting', async () => {
    const { queue, close } = openQueueOf(world, 'upkeep')
    // The jobs of its schedule start at once, and wait for each other.
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

  it('describes a failed job in the same way everywhere, also after a failed retry or its removal', async () => {
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

  it('says that a queue is paused, and how many jobs wait', async () => {
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

  it('shows accepted imports and exports, and their progress', async () => {
    const { queue, close } = openQueueOf(world, 'exports')
    await queue.pause()
    const client = await world.client('user-write')
    const accepted = await client.get('users/export?format=csv', { Prefer: 'respond-async' })
    expect(accepted.status).to.equal(202)
    await world.database('jobs').update({ state: 'running', progress: 42 })
    await expectWords(/Export of people running 42 % 42 %/)
    await world.database('jobs').update({ name: 'bookables.plan-import' })
    await createBuilding(world.database, { timezone: 'Asia/Tokyo' })
    await expectWords(/Import of desks, rooms and parking running 42 % 42 % \S+ \S+ \S+ \S+ (GMT\+9|JST)/)
    await world.database('jobs').update({ name: 'users.export' })
    await browser.open('/dashboard')
    expect(browser.words).to.match(/Export of people running 42 %/)
    await close()
  })
})

describe('the health of the queues, when something is down', () => {
  it('names the queues without workers', async () => {
    const world = await createWorld({ workers: ['writes'] })
    const browser = await createSignedIn(world)
    // Its own worker may not be known yet, and workers of another test may still be listed.
    await eventually(async () => {
      await browser.open(PAGE)
      for (const name of ['imports', 'exports', 'upkeep']) {
        expect(browser.words).to.include(`No worker is running for the “${name}” queue.`)
      }
      expect(browser.page.text.match(/No worker is running/g), 'said once each').to.have.length(3)
    })
    await world.close()
  })

  it('answers within two seconds and says so when Redis is down or hangs, as do the other pages', async () => {
    const world = await createWorld({ workers: [] })
    const signedIn = await createSignedIn(world)
    const proxy = await startProxy(world.redisUrl)
    const { url } = await world.startGateway({ REDIS_URL: proxy.url })
    const browser = new Browser(url)
    for (const [name, value] of signedIn.cookies) browser.cookies.set(name, value)
    await eventually(async () => {
      await browser.open(PAGE)
      expect(browser.words).to.include('Redis up')
    })
    for (const outage of ['freeze', 'cut'] as const) {
      await proxy[outage]()
      for (const path of [PAGE, '/dashboard']) {
        const { answer, tookMs } = await timed(() => browser.open(path))
        expect(answer.status, `${path} ${outage}`).to.equal(200)
        expect(tookMs, `${path} ${outage}`).to.be.lessThan(promised(2_000))
      }
      await eventually(async () => {
        await browser.open(PAGE)
        expect(browser.words).to.include('Redis is not responding. Nothing can be changed until it is back.')
        expect(browser.words).to.include('Redis down')
        expect(browser.words).to.include('Postgres up')
      })
      const board = await timed(() => browser.open('/dashboard/queues/writes'))
      expect([board.answer.status, board.tookMs < promised(2_000)]).to.deep.equal([503, true])
      await proxy.restore()
      await eventually(async () => {
        await browser.open(PAGE)
        expect(browser.words).to.include('Redis up')
      })
    }
    await world.close()
    await proxy.close()
  })
})

describe('the number of jobs of the last hour', () => {
  const minute = 60_000
  const now = 100_000 * minute + 30_000
  // BullMQ stores a minute when the first job after it ends, the newest first.
  const counted = (minutesAgo: number, data: number[], since = 0) => ({
    meta: { count: 1_000 + since, prevCount: 1_000, prevTS: now - minutesAgo * minute },
    data,
  })

  it('is the sum of its minutes and of the jobs since', () => {
    expect(countLastHour(counted(0, [1, 2, 4], 8), now)).to.equal(15)
  })

  it('leaves out older minutes, however long the queue was idle since', () => {
    expect(countLastHour(counted(57, [1, 2, 4], 8), now)).to.equal(8 + 1 + 2)
    expect(countLastHour(counted(60, [1, 2, 4], 8), now)).to.equal(0)
    expect(countLastHour(counted(0, Array(120).fill(1)), now)).to.equal(59)
  })

  it('is 0 if no job was ever done', () => {
    expect(countLastHour({ meta: { count: 0, prevCount: 0, prevTS: 0 }, data: [] }, now)).to.equal(0)
  })
})
