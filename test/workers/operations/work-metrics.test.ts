// What a worker process shows of its work at METRICS_PORT.
import { expect } from 'chai'
import { jobs } from '../../../shared/jobs/jobs.ts'
import { UPKEEP_EVERY_MS } from '../../../shared/runtime/queues.ts'
import { createSlot, envelopeOf, openQueueOf, useWrites } from '../../support/faults/pipeline.ts'
import { type Figure, fetchFigures, sumOf } from '../../support/figures.ts'
import { eventually } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'

// A busy machine takes long to run a write.
const PATIENT = { WRITE_WAIT_MS: '50000' }
const LONG_MS = 50_000
const ANY_PORT = { METRICS_PORT: '0' }

/** The addresses of the metrics of the processes that wrote these lines, in their order. */
function shownAt(lines: string[]): string[] {
  return lines.flatMap((line) => {
    const { metricsPort } = JSON.parse(line) as { metricsPort?: number }
    return metricsPort === undefined ? [] : [`http://127.0.0.1:${metricsPort}`]
  })
}

describe('the metrics of a worker', () => {
  const lines: string[] = []
  const world = useWorld({ workers: [], environment: PATIENT, onLog: (line) => void lines.push(line) })
  const client = useClient(world)
  const writes = useWrites(world)
  let url = ''

  before(async () => {
    await world.startWorkers(['writes', 'upkeep'], ANY_PORT)
    url = await eventually(() => shownAt(lines)[0] ?? expect.fail('It shows none'))
  })

  const outcomes = (figures: Figure[], labels: Record<string, string>) =>
    sumOf(figures, 'berth_job_outcomes_total', labels)

  it('count the outcomes and durations of attempts by job', async () => {
    const slot = await createSlot(world)
    for (const status of [200, 409, 409])
      expect((await client.post('bookings', slot)).status, JSON.stringify(slot)).to.equal(status)
    const figures = await eventually(async () => {
      const found = await fetchFigures(url)
      const job = { queue: 'writes', job_name: 'bookings.create' }
      expect(outcomes(found, { ...job, outcome: 'done' })).to.equal(1)
      expect(outcomes(found, { ...job, outcome: 'booking_conflict' })).to.equal(2)
      expect(sumOf(found, 'berth_job_duration_seconds_count', job)).to.equal(3)
      return found
    }, LONG_MS)
    expect(sumOf(figures, 'berth_job_attempts_count', { queue: 'writes' })).to.equal(3)
    expect(sumOf(figures, 'berth_job_attempts_sum', { queue: 'writes' })).to.equal(3)
    expect(sumOf(figures, 'berth_queues_up')).to.equal(1)
    expect(figures.some(({ name }) => name === 'nodejs_eventloop_lag_p99_seconds')).to.equal(true)
  })

  it('count the attempts of a queue job, and the round trips of the pool for them', async () => {
    const slot = await createSlot(world)
    const before = await fetchFigures(url)
    const attempts = [1, 2, 3].map((day) => {
      const times = {
        from_time: `2031-01-0${day}T08:00:00.000000Z`,
        to_time: `2031-01-0${day}T09:00:00.000000Z`,
      }
      return {
        ...envelopeOf({ ...slot, ...times }, { deadlineMs: Date.now() + LONG_MS }),
        job: 'bookings.create',
      }
    })
    await writes.queue.add('batch', { attempts })
    const figures = await eventually(async () => {
      const found = await fetchFigures(url)
      const done = { job_name: 'bookings.create', outcome: 'done' }
      expect(outcomes(found, done) - outcomes(before, done)).to.equal(3)
      return found
    }, LONG_MS)
    const grown = (name: string, labels: Record<string, string>) =>
      sumOf(figures, name, labels) - sumOf(before, name, labels)
    expect(grown('berth_job_attempts_count', { queue: 'writes' })).to.equal(1)
    expect(grown('berth_job_attempts_sum', { queue: 'writes' })).to.equal(3)
    const trips = grown('berth_database_round_trips_total', { pool: 'writes' })
    const statements = grown('berth_database_statements_total', { pool: 'writes' })
    expect(trips).to.be.within(1, 3)
    expect(statements).to.be.above(trips)
  })

  it('include upkeep', async () => {
    const upkeep = openQueueOf(world, 'upkeep')
    await upkeep.queue.add('upkeep.requeue', {})
    await upkeep.close()
    await eventually(async () => {
      const done = { queue: 'upkeep', job_name: 'upkeep.requeue', outcome: 'done' }
      expect(outcomes(await fetchFigures(url), done)).to.be.above(0)
    })
  })

  it('show the connections of each queue', async () => {
    const figures = await fetchFigures(url)
    const max = (pool: string) => sumOf(figures, 'berth_database_connections_max', { pool })
    expect([max('writes'), max('upkeep')]).to.deep.equal([11, 3])
    expect(sumOf(figures, 'berth_database_connections', { pool: 'writes' })).to.be.within(1, 11)
    expect(sumOf(figures, 'berth_database_connections_awaited', { pool: 'writes' })).to.equal(0)
  })

  it('have only known labels, whatever the names of jobs are', async () => {
    const names = [
      '__proto__',
      'constructor',
      'bookings.create"} 1',
      'a\nberth_up 1',
      'é'.repeat(300),
      'upkeep.all',
    ]
    const odd = [...names, ...Array.from({ length: 50 }, (_, number) => `job-${number}`)]
    await writes.queue.addBulk(odd.map((name) => ({ name, data: {} })))
    const upkeep = openQueueOf(world, 'upkeep')
    await upkeep.queue.addBulk(odd.map((name) => ({ name, data: {} })))
    const figures = await eventually(async () => {
      const found = await fetchFigures(url)
      expect(outcomes(found, { queue: 'writes', job_name: 'unknown', outcome: 'failed' })).to.equal(
        odd.length,
      )
      expect(outcomes(found, { queue: 'upkeep', job_name: 'unknown' })).to.equal(odd.length)
      return found
    }, LONG_MS)
    await upkeep.close()
    const named = new Set(figures.map(({ labels }) => labels.job_name).filter(Boolean))
    const known = [...Object.keys(jobs), ...Object.keys(UPKEEP_EVERY_MS).map((name) => `upkeep.${name}`)]
    for (const job of named) expect(job).to.be.oneOf([...known, 'unknown'])
  })

  it('show the failures of each job as 0 before the first one, so that an increase is visible', async () => {
    const figures = await fetchFigures(url)
    const failures = figures.filter(({ labels }) => labels.outcome === 'failed' && labels.queue === 'writes')
    const named = failures.map(({ labels }) => labels.job_name)
    expect(named).to.include.members(['bookings.create', 'events.cancel', 'users.create'])
  })

  it('are at /metrics only', async () => {
    expect((await fetch(`${url}/`)).status).to.equal(404)
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).to.equal(404)
  })
})

describe('a worker whose METRICS_PORT', () => {
  const lines: string[] = []
  const world = useWorld({ workers: [], onLog: (line) => void lines.push(line) })

  it('is not set serves no metrics', async () => {
    await world.startWorkers(['exports'])
    await eventually(() => expect(lines.join('')).to.include('working'))
    expect(shownAt(lines)).to.deep.equal([])
  })

  it('is taken continues, logs this, and serves its metrics once the port is free', async () => {
    const first = await world.startWorkers(['writes'], ANY_PORT)
    const url = await eventually(() => shownAt(lines)[0] ?? expect.fail('It shows none'))
    await world.startWorkers(['imports'], { METRICS_PORT: new URL(url).port })
    await eventually(() => expect(lines.join('')).to.include('cannot be listened on'))
    await eventually(() => expect(lines.filter((line) => line.includes('"working"'))).to.have.length(3))
    await first.stop()
    await eventually(async () => {
      expect(shownAt(lines)).to.deep.equal([url, url])
      const pools = (await fetchFigures(url)).map(({ labels }) => labels.pool)
      expect(pools).to.include('imports')
    })
  })
})
