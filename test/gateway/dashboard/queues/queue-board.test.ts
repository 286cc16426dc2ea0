// The queue board over HTTP: who gets in, what can be done, and what can be seen.

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { appRoutes } from '@bull-board/api/dist/routes.js'
import { expect } from 'chai'
import { Browser, createSignedIn, useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { HOSTILE_TEXTS } from '../../../support/dashboard/hostile-texts.ts'
import { askBoard, BOARD, failJob } from '../../../support/dashboard/queue-board.ts'
import { createSlot, envelopeOf, useWrites } from '../../../support/faults/pipeline.ts'
import { startGatewayProcess } from '../../../support/processes.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

const LOOKS = [
  '/api/redis/stats',
  '/api/queues',
  '/api/job-schedulers',
  '/api/queues/:queueName/metrics',
  '/api/queues/:queueName/default-job-options',
  '/api/queues/:queueName/workers',
  '/api/queues/:queueName/rate-limit',
  '/api/queues/:queueName/job-data-schema',
  '/api/queues/:queueName/:jobId/logs',
  '/api/queues/:queueName/:jobId/flow',
  '/api/queues/:queueName/:jobId',
]
const ACTIONS = [
  '/api/queues/pause',
  '/api/queues/resume',
  '/api/queues/:queueName/pause',
  '/api/queues/:queueName/resume',
  '/api/queues/:queueName/retry/:queueStatus',
  '/api/queues/:queueName/clean/:queueStatus',
  '/api/queues/:queueName/:jobId/retry',
  '/api/queues/:queueName/:jobId/clean',
]

describe('the queue board', () => {
  const world = useWorld({ workers: ['writes', 'upkeep'] })
  const browser = useSignedIn(world)
  const writes = useWrites(world)
  let failed: string
  before(async () => {
    failed = await failJob(writes.queue)
    await browser.open(BOARD)
  })

  const pathOf = (route: string) =>
    route
      .replace(':queueName', 'writes')
      .replace(':jobId', failed)
      .replace(':queueStatus', 'failed')
      .replace(':schedulerId', 'sweep')
  const api = () =>
    appRoutes.api.flatMap(({ method, route }) =>
      [method].flat().map((each) => ({ method: each, route: String(route), path: pathOf(String(route)) })),
    )
  const pages = () => [appRoutes.entryPoint.route].flat().map(pathOf)

  /** Everything that could be changed there. */
  async function contents() {
    const { queue } = writes
    const job = await queue.getJob(failed)
    return JSON.stringify([
      await queue.getJobCounts(),
      await queue.isPaused(),
      await queue.getGlobalConcurrency(),
      await queue.getJobSchedulersCount(),
      job?.data,
      await queue.getJobState(failed),
    ])
  }

  async function stale(): Promise<Browser> {
    const ended = await createSignedIn(world, 'ended@example.com')
    await ended.open(BOARD)
    await world.database.raw(
      "UPDATE sessions SET expires_at = now() FROM admins WHERE admins.id = admin_id AND email = 'ended@example.com'",
    )
    return ended
  }

  async function forged(): Promise<Browser> {
    const stranger = new Browser(world.url)
    stranger.cookies.set('berth_session', 'A'.repeat(43))
    stranger.cookies.set('XSRF-TOKEN', 'A'.repeat(43))
    return stranger
  }

  it('knows every route of this version', () => {
    const known = api().map(({ method, route }) => `${method} ${route}`)
    expect(known).to.include.members([
      ...LOOKS.map((route) => `get ${route}`),
      ...ACTIONS.map((route) => `put ${route}`),
    ])
  })

  it('shows no page, file or answer to visitors who are not signed in', async () => {
    const before = await contents()
    const { text } = await browser.open(BOARD)
    const files = [...text.matchAll(/(?:href|src)="(static\/[^"]+)"/g)].map(([, file]) => `/${file}`)
    expect(files).to.have.length.greaterThan(3)
    for (const someone of [new Browser(world.url), await stale(), await forged()]) {
      for (const path of pages()) {
        const { status, headers, text: body } = await askBoard(someone, path)
        expect(status, path).to.equal(302)
        expect(headers.get('Location')).to.match(/^\/dashboard\/sign-in\?next=/)
        expect(body).to.not.include('static/')
      }
      for (const path of [
        ...files,
        '/static/locales/en-US/messages.json',
        '/static/../api/queues',
        '/nothing',
      ]) {
        expect((await askBoard(someone, path)).status, path).to.equal(401)
      }
      for (const { method, path } of api()) {
        const answer = await askBoard(someone, path, { method })
        expect(answer.status, `${method} ${path}`).to.equal(401)
        expect(answer.text).to.not.include(failed)
      }
    }
    expect(await contents()).to.equal(before)
  })

  it('accepts no action without the token of its own session', async () => {
    const other = await createSignedIn(world, 'other@example.com')
    await other.open(BOARD)
    await other.open('/dashboard/sign-out')
    const ofForms = other.form('Sign out').controls.find(({ name }) => name === '_csrf')?.value ?? ''
    const before = await contents()
    for (const { method, path } of api().filter((each) => each.method !== 'get')) {
      for (const token of [null, '', 'x', other.cookies.get('XSRF-TOKEN') ?? '', ofForms]) {
        const { status, headers, text } = await askBoard(browser, path, { method, token })
        expect(status, `${method} ${path} ${token}`).to.equal(403)
        expect(headers.get('Content-Type')).to.match(/json/)
        expect(JSON.parse(text).error).to.include('belongs to another session')
      }
    }
    expect(await contents()).to.equal(before)
  })

  it('accepts no action that another site sends, even with the right token', async () => {
    const before = await contents()
    const origins: Array<Record<string, string>> = [
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': '' },
      { Origin: 'null', 'Sec-Fetch-Site': '' },
      { Origin: '', 'Sec-Fetch-Site': '' },
    ]
    for (const { method, path } of api().filter((each) => each.method !== 'get')) {
      for (const headers of origins) {
        const { status } = await askBoard(browser, path, { method, headers })
        expect(status, `${method} ${path} ${JSON.stringify(headers)}`).to.equal(403)
      }
    }
    expect(await contents()).to.equal(before)
  })

  it('allows to look and a few actions, and refuses all else, adding and emptying included', async () => {
    const before = await contents()
    for (const { method, route, path } of api()) {
      const isOffered =
        (method === 'get' && LOOKS.includes(route)) || (method === 'put' && ACTIONS.includes(route))
      if (isOffered) continue
      const body = JSON.stringify({
        name: 'bookings.create',
        data: {},
        concurrency: 1,
        delay: 1,
        priority: 1,
      })
      const { status, text } = await askBoard(browser, path, { method, body })
      expect(status, `${method} ${path}`).to.equal(403)
      expect(text).to.include('Not available here')
    }
    for (const method of ['POST', 'DELETE', 'PATCH', 'PUT']) {
      expect((await askBoard(browser, '/api/queues/writes', { method })).status, method).to.be.within(
        403,
        405,
      )
      expect((await askBoard(browser, '', { method })).status, method).to.be.within(403, 405)
    }
    expect(await contents()).to.equal(before)
    for (const route of LOOKS) expect((await askBoard(browser, pathOf(route))).status, route).to.equal(200)
  })

  it('removes and retries only jobs that are over', async () => {
    await writes.queue.pause()
    const waiting = randomUUID()
    await writes.queue.add('bookings.create', {}, { jobId: waiting })
    const refused = [
      `/api/queues/writes/${waiting}/clean`,
      `/api/queues/writes/${waiting}/retry`,
      '/api/queues/writes/clean/waiting',
      '/api/queues/writes/clean/active',
      '/api/queues/writes/clean/delayed',
      '/api/queues/writes/retry/completed',
    ]
    for (const path of refused) {
      expect((await askBoard(browser, path, { method: 'PUT' })).status, path).to.equal(403)
    }
    expect(await writes.queue.getJobState(waiting)).to.equal('waiting')
    await writes.queue.resume()
    await eventually(async () => expect(await writes.queue.getJobState(waiting)).to.equal('failed'))
    for (const path of [`/api/queues/writes/${waiting}/retry`, '/api/queues/writes/retry/failed']) {
      const { status, text } = await askBoard(browser, path, { method: 'PUT' })
      expect([status, text.includes('Writes cannot be retried')], path).to.deep.equal([403, true])
    }
    const removed = await askBoard(browser, `/api/queues/writes/${waiting}/clean`, { method: 'PUT' })
    expect([removed.status, await writes.queue.getJobState(waiting)]).to.deep.equal([204, 'unknown'])
  })

  it('pauses and resumes a queue, and all of them', async () => {
    for (const [action, isPaused] of [
      ['/api/queues/writes/pause', true],
      ['/api/queues/writes/resume', false],
      ['/api/queues/pause', true],
      ['/api/queues/resume', false],
    ] as const) {
      expect((await askBoard(browser, action, { method: 'PUT' })).status, action).to.equal(200)
      expect(await writes.queue.isPaused(), action).to.equal(isPaused)
    }
  })

  it('answers requests for unknown jobs and invalid requests correctly', async () => {
    expect((await askBoard(browser, '/api/queues/nothing/workers')).status).to.equal(404)
    expect((await askBoard(browser, `/api/queues/writes/${randomUUID()}`)).status).to.equal(404)
    expect((await askBoard(browser, '/nothing')).status).to.equal(404)
    expect((await askBoard(browser, '/static/nothing.js')).status).to.equal(404)
    const broken = await askBoard(browser, '/api/queues/writes/resume', { method: 'PUT', body: '{' })
    expect(broken.status).to.equal(200)
    const { text } = await askBoard(browser, '/api/queues?jobsPerPage=many')
    expect(JSON.parse(text)).to.have.property('error')
  })

  it('gives its page a policy and a token that only this page can read, and loads nothing from elsewhere', async () => {
    const { headers, text } = await browser.open(`${BOARD}/queue/writes`)
    expect(headers.get('Content-Security-Policy')).to.equal(
      "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU='; " +
        "font-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'",
    )
    expect(headers.get('Cache-Control')).to.equal('no-store')
    expect(text).to.not.match(/https?:\/\/|<style|\sstyle=|\son\w+=/)
    const [cookie] = headers.getSetCookie().filter((each) => each.startsWith('XSRF-TOKEN='))
    expect(cookie).to.match(/^XSRF-TOKEN=[\w-]{43}; Path=\/dashboard\/queues; SameSite=Strict$/)
    const api = await askBoard(browser, '/api/queues', { headers: { Origin: 'https://evil.example' } })
    expect(api.headers.get('Access-Control-Allow-Origin')).to.equal(null)
    expect(api.headers.get('Content-Type')).to.match(/^application\/json/)
    expect(api.headers.get('X-Content-Type-Options')).to.equal('nosniff')
    const [, file] = /src="(static\/js\/[^"]+)"/.exec(text) ?? []
    const script = await askBoard(browser, `/${file}`)
    expect(script.headers.get('Cache-Control')).to.equal('private, max-age=31536000, immutable')
  })

  it('logs who did what', async () => {
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = world
    const gateway = await startGatewayProcess({ DATABASE_URL, REDIS_URL, LOG_LEVEL: 'info' })
    const own = new Browser(gateway.url)
    for (const [name, value] of browser.cookies) own.cookies.set(name, value)
    expect((await askBoard(own, '/api/queues/writes/resume', { method: 'PUT' })).status).to.equal(200)
    const { id } = await world.database('admins').where({ email: 'admin@example.com' }).first()
    expect(await gateway.line('used the queue board')).to.include({
      adminId: id,
      method: 'PUT',
      path: `${BOARD}/api/queues/writes/resume`,
      status: 200,
    })
    gateway.kill('SIGTERM')
    await gateway.ended
  })

  it('works below the path of PUBLIC_URL', async () => {
    const gateway = await world.startGateway({ PUBLIC_URL: 'https://berth.example/office' })
    const cookies = `__Secure-berth_session=${browser.cookies.get('berth_session')}`
    const answer = await fetch(`${gateway.url}${BOARD}`, { headers: { Cookie: cookies } })
    const text = await answer.text()
    expect(text).to.include('<base href="/office/dashboard/queues/">')
    expect(text).to.include('/office/dashboard/queue-health')
    expect(answer.headers.getSetCookie().join()).to.match(
      /XSRF-TOKEN=[\w-]{43}; Path=\/office\/dashboard\/queues; SameSite=Strict; Secure/,
    )
  })
})

describe('a job on the queue board', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  const writes = useWrites(world)
  before(async () => {
    await browser.open(BOARD)
  })

  /** All that the board and our own page say of the queues, at once. */
  async function everything(id: string): Promise<string> {
    const paths = [
      '/api/queues?activeQueue=writes&status=latest&jobsPerPage=50',
      '/api/queues?activeQueue=writes&status=failed&jobsPerPage=50',
      `/api/queues/writes/${id}`,
      `/api/queues/writes/${id}/logs`,
      `/api/queues/writes/${id}/flow`,
      '/api/job-schedulers',
    ]
    const answers = await Promise.all(paths.map((path) => askBoard(browser, path)))
    for (const { status } of answers) expect(status).to.equal(200)
    // What was read of the queues is kept for a moment.
    await wait(2_100)
    const page = await browser.open('/dashboard/queue-health')
    return [...answers.map(({ text }) => text), page.text].join('\n')
  }

  it('shows its structure and ids, and nothing about a person', async () => {
    const secret = 'Ada.Lovelace@example.com'
    const good = envelopeOf(
      {
        user_id: 17,
        bookable_id: 4711,
        guest_email: secret,
        guest_name: 'Ada Lovelace',
        [secret]: secret,
        list: [{ name: 'Ada Lovelace', license_plate: 'B-ADA 1' }],
      },
      { actor: { type: 'admin', id: 3, name: secret }, baseUrl: 'https://Ada.example' },
    )
    const job = await writes.queue.add('bookings.create', good, { jobId: good.attempt })
    await job.log(`Found ${secret}`).catch(() => 0)
    await job.updateProgress({ percent: 7, said: secret }).catch(() => undefined)
    await eventually(async () =>
      expect(await writes.queue.getJobState(good.attempt)).to.be.oneOf(['completed', 'failed']),
    )
    const text = await everything(good.attempt)
    expect(text).to.not.match(/\bada\b/i)
    const { job: shown } = JSON.parse((await askBoard(browser, `/api/queues/writes/${good.attempt}`)).text)
    expect(shown.name).to.equal('bookings.create')
    expect(shown.data.attempt).to.equal(good.attempt)
    expect(shown.data.requestId).to.equal('request-1')
    expect(shown.data.actor).to.deep.equal({ type: 'admin', id: 3, name: '•••' })
    expect(shown.data.input).to.include({
      user_id: 17,
      bookable_id: 4711,
      guest_email: '•••',
      guest_name: '•••',
    })
  })

  it('shows the kind and the place of its failure, but not the message', async () => {
    await world.database.raw(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no place for Ada at B-ADA 1'; END $$;
      CREATE TRIGGER broken BEFORE INSERT ON bookings FOR EACH STATEMENT EXECUTE FUNCTION fail()`)
    const client = await world.client()
    const slot = await createSlot(world)
    expect((await client.post('bookings', { ...slot, booking_info: 'for Ada' })).status).to.equal(500)
    await world.database.raw('DROP TRIGGER broken ON bookings')
    const { attempt } = await world.database('receipts').orderBy('created_at', 'desc').first()
    await eventually(async () => expect(await writes.queue.getJobState(String(attempt))).to.equal('failed'))
    const text = await everything(String(attempt))
    expect(text).to.not.match(/\bada\b/i)
    const { job } = JSON.parse((await askBoard(browser, `/api/queues/writes/${attempt}`)).text)
    expect(job.failedReason).to.match(/^DatabaseError\n\s+at node_modules\/pg/i)
    expect(job.stacktrace.join()).to.match(/workers\/delivery\/[\w-]+\.ts:\d+/)
    await eventually(async () => {
      await browser.open('/dashboard/queue-health')
      expect(browser.words).to.match(/bookings\.create DatabaseError workers\/jobs\/\S+ 1/i)
    })
    expect(browser.page.text).to.not.match(/\bada\b/i)
  })

  it('never shows a forged text in its name, data or failure', async () => {
    for (const text of HOSTILE_TEXTS) {
      await failJob(writes.queue, { [text]: text, input: text, type: text, refused: text }, text)
    }
    const id = await failJob(writes.queue, { requestId: HOSTILE_TEXTS[0] }, 'constructor')
    const shown = await everything(id)
    for (const text of HOSTILE_TEXTS) {
      expect(shown, text).to.not.include(text)
      expect(shown, text).to.not.include(JSON.stringify(text).slice(1, -1))
    }
    const { text: page } = await browser.open(`${BOARD}/queue/${encodeURIComponent(HOSTILE_TEXTS[1] ?? '')}`)
    expect(page).to.not.include('onerror')
  })
})
