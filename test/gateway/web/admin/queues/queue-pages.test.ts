// Tests the pages of the jobs in a queue: what they show, and their actions.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { extractWords, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { failJob } from '../../../../support/dashboard/failed-jobs.ts'
import { HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import { createEnvelope, createSlot, openQueueOf, useWrites } from '../../../../support/faults/pipeline.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const QUEUES_PATH = '/dashboard/queues'
const getJobPath = (id: string, queue = 'writes') => `${QUEUES_PATH}/${queue}/jobs/${encodeURIComponent(id)}`

describe('the dashboard pages of a queue', () => {
  const lines: string[] = []
  const world = useWorld({ workers: ['writes', 'exports'], onLog: (line) => void lines.push(line) })
  const browser = useSignedIn(world)
  const writes = useWrites(world)

  const buttons = () =>
    [...browser.page.text.matchAll(/class="button[^>]*>([^<]+)</g)].map(([, text]) => text)

  it('list the jobs of each state, and link to the page of each job', async () => {
    const id = await failJob(writes.queue)
    await browser.open('/dashboard/queue-health')
    await browser.follow('writes')
    expect(browser.words).to.match(/Failed 1 Running 0 Waiting 0 Scheduled 0 Done \d+/)
    expect(browser.words).to.include('bookings.create Not a valid payload')
    await browser.press(`bookings.create, job ${id}`)
    expect(browser.page.path).to.equal(getJobPath(id))
    expect(browser.words).to.include(id).and.include('Failed').and.include('Not a valid payload')
    await browser.open(`${QUEUES_PATH}/writes?state=running`)
    expect(browser.words).to.include('No jobs in this state.')
    expect((await browser.open(`${QUEUES_PATH}/other`)).status).to.equal(404)
    expect((await browser.open(getJobPath(randomUUID()))).status).to.equal(404)
  })

  it('retry and remove only finished jobs, and never retry writes', async () => {
    await writes.queue.pause()
    const waiting = randomUUID()
    await writes.queue.add('bookings.create', {}, { jobId: waiting })
    await browser.open(getJobPath(waiting))
    expect(buttons()).to.not.include('Remove').and.not.include('Retry')
    await browser.open(`${getJobPath(waiting)}/remove`)
    await browser.submit('Remove')
    expect(browser.words).to.include('Only finished jobs can be removed.')
    expect(await writes.queue.getJobState(waiting)).to.equal('waiting')
    await browser.open(`${QUEUES_PATH}/writes/retry-failed`)
    await browser.submit('Retry failed jobs')
    expect(browser.words).to.include('A failed change cannot be retried here')
    await writes.queue.resume()
    await eventually(async () => expect(await writes.queue.getJobState(waiting)).to.equal('failed'))
    await browser.open(getJobPath(waiting))
    expect(buttons()).to.not.include('Retry')
    await browser.follow('Remove')
    await browser.submit('Remove')
    expect(browser.words).to.include('Job removed.')
    expect(await writes.queue.getJobState(waiting)).to.equal('unknown')
  })

  it('retry one or all failed jobs of queues without writes, and remove them', async () => {
    const { queue, close } = openQueueOf(world, 'exports')
    const id = await failJob(queue, {}, 'users.export')
    const ended = async () => (await queue.getJob(id))?.finishedOn ?? 0
    const endedAfter = (before: number) =>
      eventually(async () => {
        expect(await ended()).to.be.greaterThan(before)
        return ended()
      })
    const first = await ended()
    await browser.open(getJobPath(id, 'exports'))
    await browser.submit('Retry')
    expect(browser.words).to.include('Queued again.')
    const second = await endedAfter(first)
    await eventually(async () => expect(await queue.getJobState(id)).to.equal('failed'))
    await browser.open(`${QUEUES_PATH}/exports`)
    await browser.follow('Retry failed jobs')
    await browser.submit('Retry failed jobs')
    await endedAfter(second)
    await eventually(async () => expect(await queue.getJobState(id)).to.equal('failed'))
    await browser.open(`${QUEUES_PATH}/exports`)
    await browser.follow('Remove failed jobs')
    await browser.submit('Remove failed jobs')
    expect(await queue.getJobCountByTypes('failed')).to.equal(0)
    await browser.open(`${QUEUES_PATH}/exports`)
    expect(buttons()).to.not.include('Retry failed jobs').and.not.include('Remove failed jobs')
    await close()
  })

  it('open with the first state that has jobs', async () => {
    const { queue, close } = openQueueOf(world, 'exports')
    const current = () => extractWords(/<a[^>]*aria-current[^>]*>[\s\S]*?<\/a>/.exec(states())?.[0] ?? '')
    const states = () => browser.page.text.slice(browser.page.text.indexOf('aria-label="States"'))
    await queue.add('users.export', {}, { delay: 3_600_000 })
    await browser.open(`${QUEUES_PATH}/exports`)
    expect(current()).to.equal('Scheduled 1')
    await browser.open(`${QUEUES_PATH}/exports?state=failed`)
    expect(current()).to.equal('Failed 0')
    await failJob(queue, {}, 'users.export')
    await browser.open(`${QUEUES_PATH}/exports`)
    expect(current()).to.equal('Failed 1')
    await queue.obliterate({ force: true })
    await close()
  })

  it('pause and resume a queue after a confirmation, and log who did so', async () => {
    await browser.open(`${QUEUES_PATH}/writes`)
    await browser.follow('Pause')
    expect(browser.words).to.include('Every change is refused until somebody resumes the queue.')
    await browser.submit('Pause')
    expect(browser.words).to.include('Queue paused.').and.include('paused')
    expect(await writes.queue.isPaused()).to.equal(true)
    await browser.submit('Resume')
    expect(await writes.queue.isPaused()).to.equal(false)
    const { id } = await world.database('admins').where({ email: 'admin@example.com' }).first()
    const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'changed a queue')
    expect(logged.map(({ adminId, queue, action }) => [adminId, queue, action]).slice(-2)).to.deep.equal([
      [id, 'writes', 'pause'],
      [id, 'writes', 'resume'],
    ])
  })

  it('show the structure and ids of a job’s data, but nothing about people', async () => {
    const secret = 'Ada.Lovelace@example.com'
    const input = { user_id: 17, guest_email: secret, [secret]: secret, list: [{ name: 'Ada Lovelace' }] }
    const actor = { type: 'admin' as const, id: 3, name: secret }
    const good = createEnvelope(input, { actor, baseUrl: 'https://Ada.example' })
    await writes.queue.add('bookings.create', good, { jobId: good.attempt })
    await eventually(async () =>
      expect(await writes.queue.getJobState(good.attempt)).to.be.oneOf(['completed', 'failed']),
    )
    await browser.open(getJobPath(good.attempt))
    const text = browser.page.text.replaceAll('&quot;', '"')
    expect(text).to.not.match(/\bada\b/i)
    expect(text)
      .to.include('"user_id": 17')
      .and.include('"guest_email": "•••"')
      .and.include('"requestId": "request-1"')
      .and.match(/"id": 3,\s+"name": "•••"/)
  })

  it('show the type and source location of a failure, but not its message', async () => {
    await world.database.raw(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no place for Ada at B-ADA 1'; END $$;
      CREATE TRIGGER broken BEFORE INSERT ON bookings FOR EACH STATEMENT EXECUTE FUNCTION fail()`)
    const client = await world.client()
    const slot = await createSlot(world)
    expect((await client.post('bookings', { ...slot, booking_info: 'for Ada' })).status).to.equal(500)
    await world.database.raw('DROP TRIGGER broken ON bookings')
    const { attempt } = await world.database('receipts').orderBy('created_at', 'desc').first()
    await eventually(async () => expect(await writes.queue.getJobState(String(attempt))).to.equal('failed'))
    await browser.open(getJobPath(String(attempt)))
    expect(browser.words).to.match(/DatabaseError at .*node_modules\/pg/i)
    expect(browser.page.text)
      .to.match(/workers\/delivery\/[\w-]+\.ts:\d+/)
      .and.not.match(/\bada\b/i)
    await eventually(async () => {
      await browser.open('/dashboard/queue-health')
      expect(browser.words).to.match(/bookings\.create DatabaseError workers\/jobs\/\S+ 1/i)
    })
    expect(browser.page.text).to.not.match(/\bada\b/i)
  })

  it('never show hostile texts from names, data or failures', async () => {
    for (const text of HOSTILE_TEXTS)
      await failJob(writes.queue, { [text]: text, input: text, type: text, refused: text }, text)
    const id = await failJob(writes.queue, { requestId: HOSTILE_TEXTS[0] }, 'constructor')
    const shown = [
      (await browser.open(`${QUEUES_PATH}/writes`)).text,
      (await browser.open(getJobPath(id))).text,
    ].join()
    for (const text of HOSTILE_TEXTS) expect(shown, text).to.not.include(text)
  })
})
