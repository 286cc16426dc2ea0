// Tests the metrics that a worker process serves at METRICS_PORT.
import { expect } from 'chai'
import { jobs } from '../../../shared/jobs/jobs.ts'
import { UPKEEP_INTERVALS_MS } from '../../../shared/runtime/queues.ts'
import { createEnvelope, createSlot, openQueueOf, useWrites } from '../../support/faults/pipeline.ts'
import { fetchMetrics, type Metric, sumMetrics } from '../../support/figures.ts'
import { eventually } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'

// A write takes long on a busy machine.
const LONG_WAIT_ENVIRONMENT = { WRITE_WAIT_MS: '50000' }
const LONG_WAIT_MS = 50_000
const ANY_PORT_ENVIRONMENT = { METRICS_PORT: '0' }

/** Returns the metrics URLs of the processes that wrote the log lines, in order. */
function listMetricsUrls(lines: string[]): string[] {
  return lines.flatMap((line) => {
    const { metricsPort } = JSON.parse(line) as { metricsPort?: number }
    return metricsPort === undefined ? [] : [`http://127.0.0.1:${metricsPort}`]
  })
}

describe('the metrics of a worker', () => {
  const lines: string[] = []
  const world = useWorld({
    workers: [],
    environment: LONG_WAIT_ENVIRONMENT,
    onLog: (line) => void lines.push(line),
  })
  const client = useClient(world)
  const writes = useWrites(world)
  let url = ''

  before(async () => {
    await world.startWorkers(['writes', 'upkeep'], ANY_PORT_ENVIRONMENT)
    url = await eventually(() => listMetricsUrls(lines)[0] ?? expect.fail('It shows none'))
  })

  const outcomes = (figures: Metric[], labels: Record<string, string>) =>
    sumMetrics(figures, 'berth_job_outcomes_total', labels)

  it('count the outcomes and durations of attempts by job', async () => {
    const slot = await createSlot(world)
    for (const status of [200, 409, 409])
      expect((await client.post('bookings', slot)).status, JSON.stringify(slot)).to.equal(status)
    const figures = await eventually(async () => {
      const found = await fetchMetrics(url)
      const job = { queue: 'writes', job_name: 'bookings.create' }
      expect(outcomes(found, { ...job, outcome: 'done' })).to.equal(1)
      expect(outcomes(found, { ...job, outcome: 'booking_conflict' })).to.equal(2)
      expect(sumMetrics(found, 'berth_job_duration_seconds_count', job)).to.equal(3)
      return found
    }, LONG_WAIT_MS)
    expect(sumMetrics(figures, 'berth_job_attempts_count', { queue: 'writes' })).to.equal(3)
    expect(sumMetrics(figures, 'berth_job_attempts_sum', { queue: 'writes' })).to.equal(3)
    expect(sumMetrics(figures, 'berth_queues_up')).to.equal(1)
    expect(figures.some(({ name }) => name === 'nodejs_eventloop_lag_p99_seconds')).to.equal(true)
    // The worker stores the two refusals later, which takes another round trip that the next test must not count.
    await eventually(async () => expect(await world.database('refused_bookings')).to.have.length(2))
  })

  it('count the attempts of queue jobs, and their round trips to Postgres', async () => {
    const slot = await createSlot(world)
    const before = await fetchMetrics(url)
    const attempts = [1, 2, 3].map((day) => {
      const times = {
        from_time: `2031-01-0${day}T08:00:00.000000Z`,
        to_time: `2031-01-0${day}T09:00:00.000000Z`,
      }
      return {
        ...createEnvelope({ ...slot, ...times }, { deadlineMs: Date.now() + LONG_WAIT_MS }),
        job: 'bookings.create',
      }
    })
    await writes.queue.add('batch', { attempts })
    const figures = await eventually(async () => {
      const found = await fetchMetrics(url)
      const done = { job_name: 'bookings.create', outcome: 'done' }
      expect(outcomes(found, done) - outcomes(before, done)).to.equal(3)
      return found
    }, LONG_WAIT_MS)
    const grown = (name: string, labels: Record<string, string>) =>
      sumMetrics(figures, name, labels) - sumMetrics(before, name, labels)
    expect(grown('berth_job_attempts_count', { queue: 'writes' })).to.equal(1)
    expect(grown('berth_job_attempts_sum', { queue: 'writes' })).to.equal(3)
    const trips = grown('berth_database_round_trips_total', { pool: 'writes' })
    const statements = grown('berth_database_statements_total', { pool: 'writes' })
    expect(trips).to.be.within(1, 3)
    expect(statements).to.be.above(trips)
  })

  it('include the metrics of upkeep', async () => {
    const upkeep = openQueueOf(world, 'upkeep')
    await upkeep.queue.add('upkeep.requeue', {})
    await upkeep.close()
    await eventually(async () => {
      const done = { queue: 'upkeep', job_name: 'upkeep.requeue', outcome: 'done' }
      expect(outcomes(await fetchMetrics(url), done)).to.be.above(0)
    })
  })

  it('show the database connections of each queue', async () => {
    const figures = await fetchMetrics(url)
    const max = (pool: string) => sumMetrics(figures, 'berth_database_connections_max', { pool })
    expect([max('writes'), max('upkeep')]).to.deep.equal([11, 3])
    expect(sumMetrics(figures, 'berth_database_connections', { pool: 'writes' })).to.be.within(1, 11)
    expect(sumMetrics(figures, 'berth_database_connections_awaited', { pool: 'writes' })).to.equal(0)
  })

  it('use only known labels, regardless of job names', async () => {
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
      const found = await fetchMetrics(url)
      expect(outcomes(found, { queue: 'writes', job_name: 'unknown', outcome: 'failed' })).to.equal(
        odd.length,
      )
      expect(outcomes(found, { queue: 'upkeep', job_name: 'unknown' })).to.equal(odd.length)
      return found
    }, LONG_WAIT_MS)
    await upkeep.close()
    const named = new Set(figures.map(({ labels }) => labels.job_name).filter(Boolean))
    const known = [...Object.keys(jobs), ...Object.keys(UPKEEP_INTERVALS_MS).map((name) => `upkeep.${name}`)]
    for (const job of named) expect(job).to.be.oneOf([...known, 'unknown'])
  })

  it('show 0 failures for each job at the start, so that an increase is visible', async () => {
    const figures = await fetchMetrics(url)
    const failures = figures.filter(({ labels }) => labels.outcome === 'failed' && labels.queue === 'writes')
    const named = failures.map(({ labels }) => labels.job_name)
    expect(named).to.include.members(['bookings.create', 'events.cancel', 'users.create'])
  })

  it('are served only at /metrics', async () => {
    expect((await fetch(`${url}/`)).status).to.equal(404)
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).to.equal(404)
  })
})

describe('METRICS_PORT of a worker', () => {
  const lines: string[] = []
  const world = useWorld({ workers: [], onLog: (line) => void lines.push(line) })

  it('serves no metrics if it is not set', async () => {
    await world.startWorkers(['exports'])
    await eventually(() => expect(lines.join('')).to.include('working'))
    expect(listMetricsUrls(lines)).to.deep.equal([])
  })

  it('causes only a warning if the port is in use, and serves metrics once the port is free', async () => {
    const first = await world.startWorkers(['writes'], ANY_PORT_ENVIRONMENT)
    const url = await eventually(() => listMetricsUrls(lines)[0] ?? expect.fail('It shows none'))
    await world.startWorkers(['imports'], { METRICS_PORT: new URL(url).port })
    await eventually(() => expect(lines.join('')).to.include('cannot be listened on'))
    await eventually(() => expect(lines.filter((line) => line.includes('"working"'))).to.have.length(3))
    await first.stop()
    await eventually(async () => {
      expect(listMetricsUrls(lines)).to.deep.equal([url, url])
      const pools = (await fetchMetrics(url)).map(({ labels }) => labels.pool)
      expect(pools).to.include('imports')
    })
  })
})
