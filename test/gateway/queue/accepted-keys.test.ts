// Tests that an idempotency key returns the first answer again, whether the caller waited or got a 202.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { LOCKS } from '../../../shared/database/locks.ts'
import { createBooking, createDesk, createUser, hoursFromNow } from '../../support/factories.ts'
import type { ApiAnswer } from '../../support/http/http.ts'
import { eventually } from '../../support/time.ts'
import { countFiles } from '../../support/user-lists.ts'
import { useClient, useWorld } from '../../support/world.ts'

const FIRST_USER_LIST = 'email,name\nann@keys.example,Ann\n'
const SECOND_USER_LIST = 'email,name\nbob@keys.example,Bob\n'

describe('the Idempotency-Key of an import', function () {
  this.timeout(300_000)
  // Sets a long keep-alive delay, because the tests compare replays byte for byte. The rate limit allows polling.
  const environment = { KEEPALIVE_AFTER_MS: '600000', RATE_LIMIT_PER_MINUTE: '100000' }
  const world = useWorld({ workers: ['imports', 'exports'], environment })
  const client = useClient(world, 'user-write')
  let key: Record<string, string>
  beforeEach(() => {
    key = { 'Idempotency-Key': randomUUID() }
  })

  const wait = (list = FIRST_USER_LIST, fields: Record<string, string> = {}) =>
    client.import(list, fields, key)
  const accept = (list = FIRST_USER_LIST, fields: Record<string, string> = {}) =>
    client.import(list, fields, { ...key, Prefer: 'respond-async' })
  const jobOf = async ({ headers }: ApiAnswer) => {
    const { pathname } = new URL(headers.get('Location') ?? '')
    return (await client.get(pathname)).json.data
  }
  const ended = (answer: ApiAnswer) =>
    eventually(async () => {
      const job = await jobOf(answer)
      expect(job.finished_at).to.not.equal(null)
      return job
    })
  const imports = () => world.database('audit_log').where({ action: 'users.import' })
  const jobs = () => world.database('jobs')

  function expectReplay(first: ApiAnswer, second: ApiAnswer) {
    expect(first.headers.has('Idempotency-Replayed')).to.equal(false)
    expect(second.headers.get('Idempotency-Replayed')).to.equal('true')
    expect([second.status, second.text]).to.deep.equal([first.status, first.text])
    for (const name of ['Location', 'Preference-Applied', 'Content-Type'])
      expect(second.headers.get(name), name).to.equal(first.headers.get(name))
  }
  const expectReused = ({ status, json }: ApiAnswer) =>
    expect([status, json.code]).to.deep.equal([422, 'idempotency_key_reused'])

  it('answers a later respond-async request with the result of the first request, and creates no job', async () => {
    const before = await jobs()
    const first = await wait()
    expect(first.status).to.equal(200)
    expectReplay(first, await accept())
    expect(await jobs()).to.deep.equal(before)
  })

  it('answers a later waiting request with the accepted job, before and after the job is done', async () => {
    const before = (await imports()).length
    const first = await accept()
    expect(first.status).to.equal(202)
    expectReplay(first, await wait())
    const { state, result } = await ended(first)
    expect([state, result.rows]).to.deep.equal(['done', 1])
    expectReplay(first, await wait())
    expectReplay(first, await accept())
    expect(await imports()).to.have.length(before + 1)
  })

  it('is refused with a different file, whether either caller waits or not', async () => {
    for (const [first, second] of [
      [wait, accept],
      [accept, wait],
    ] as const) {
      key = { 'Idempotency-Key': randomUUID() }
      const before = (await jobs()).length
      const answer = await first(FIRST_USER_LIST)
      expectReused(await second(SECOND_USER_LIST))
      expectReused(await second(FIRST_USER_LIST, { update: 'true' }))
      expectReplay(answer, await second(FIRST_USER_LIST))
      expect((await jobs()).length - before).to.equal(first === accept ? 1 : 0)
      if (first === accept) expect((await ended(answer)).state).to.equal('done')
    }
    await eventually(async () =>
      expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 }),
    )
  })

  it('treats the same content under another file name as the same request', async () => {
    const first = await wait(FIRST_USER_LIST, { filename: 'monday.csv' })
    expectReplay(first, await wait(FIRST_USER_LIST, { filename: 'tuesday.csv' }))
    expectReplay(first, await accept(FIRST_USER_LIST, { filename: 'wednesday.csv' }))
  })

  it('counts as in use while its first caller waits, even for requests that do not wait', async () => {
    const holder = await world.database.transaction()
    await holder.raw(`SELECT pg_advisory_xact_lock(${LOCKS.imports})`)
    const waiting = wait()
    await eventually(async () => {
      const { rows } = await world.database.raw(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
      )
      expect(rows).to.have.length(1)
    })
    const other = await accept()
    expect([other.status, other.json.code]).to.deep.equal([409, 'idempotency_key_in_use'])
    expect(other.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
    await holder.rollback()
    const first = await waiting
    expectReplay(first, await accept())
  })

  it('creates one job for many simultaneous requests with the same key', async () => {
    const before = (await jobs()).length
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => (n % 2 ? accept() : wait())))
    for (const { status, json } of answers)
      if (status === 409) expect(json.code).to.equal('idempotency_key_in_use')
      else expect(status).to.be.oneOf([200, 202])
    const done = answers.filter(({ status }) => status < 300)
    expect(new Set(done.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1)
    expect((await jobs()).length - before).to.be.at.most(1)
  })
})

describe('the Idempotency-Key of a booking or an event', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write')

  it('treats null as absent in fields where both mean the same', async () => {
    const desk = await createDesk(world.database)
    const booking = { ...desk, to_time: hoursFromNow(2) }
    const nulls = { from_time: null, guest_email: null, guest_name: null, booking_info: null }
    const first = await client.post('bookings', booking, { 'Idempotency-Key': 'nulls' })
    expect(first.status).to.equal(200)
    const again = await client.post(
      'bookings',
      { ...booking, ...nulls, user_vehicle_id: null },
      { 'Idempotency-Key': 'nulls' },
    )
    expect([again.status, again.text]).to.deep.equal([200, first.text])

    const attendee = { type: 'user', id: await createUser(world.database) }
    const event = { name: 'x', to_time: hoursFromNow(2), organizer_user_id: desk.user_id }
    const made = await client.post(
      'events',
      { ...event, attendees: [attendee] },
      { 'Idempotency-Key': 'nulls' },
    )
    const zones = { from_timezone: null, to_timezone: null, from_time: null, description: null }
    const repeated = await client.post(
      'events',
      { ...event, ...zones, attendees: [{ ...attendee, email: null }] },
      { 'Idempotency-Key': 'nulls' },
    )
    expect([repeated.status, repeated.text]).to.deep.equal([200, made.text])
  })

  it('distinguishes a null start from an absent start when a booking is changed', async () => {
    const desk = await createDesk(world.database)
    const id = await createBooking(world.database, {
      bookable_id: desk.bookable_id,
      user_id: desk.user_id,
      from: hoursFromNow(-5),
      to: hoursFromNow(5),
    })
    const change = { to_time: hoursFromNow(6) }
    const headers = { 'Idempotency-Key': 'start' }
    expect((await client.put(`bookings/${id}`, change, headers)).status).to.equal(200)
    const other = await client.put(`bookings/${id}`, { ...change, from_time: null }, headers)
    expect(other.json.code).to.equal('idempotency_key_reused')
  })
})
