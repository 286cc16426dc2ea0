// The metrics of a worker process: duration and outcome of jobs, attempts per job, and statements to Postgres. Labels
// contain only names that Berth knows, because anybody who can reach Redis can choose the name of a job. No label is
// called `job`, because Prometheus itself uses that label.
import type { Counter, Histogram, Registry } from 'prom-client'
import { observeStatements, type Statement } from '../../shared/database/statements.ts'
import { BATCH_ATTEMPTS_MAX, jobs } from '../../shared/jobs/jobs.ts'
import { REFUSALS } from '../../shared/messages/refusal-kinds.ts'
import { MetricsServer } from '../../shared/metrics/metrics-server.ts'
import { addGauge, createRegistry, loadPromClient, QUEUES_UP_GAUGE } from '../../shared/metrics/registry.ts'
import { UPKEEP_INTERVALS_MS } from '../../shared/runtime/queues.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import type { Log } from '../../shared/utilities/log.ts'
import type { EndedAttempt, WorkObserver } from '../runtime/attempts.ts'

const UPKEEP_JOBS = Object.keys(UPKEEP_INTERVALS_MS).map((name) => `upkeep.${name}`)
const JOB_NAMES = new Set([...Object.keys(jobs), ...UPKEEP_JOBS])

export class WorkMetrics {
  readonly registry: Registry = createRegistry()
  readonly #durations: Histogram
  readonly #outcomes: Counter
  readonly #batches: Histogram
  readonly #takeovers: Counter
  readonly #server: MetricsServer
  readonly #stopObserving: () => void
  #isUp = () => false

  constructor(address: { host: string; port: number }, log: Log) {
    const registers = [this.registry]
    const { Counter, Histogram } = loadPromClient()
    this.#durations = new Histogram({
      name: 'berth_job_duration_seconds',
      help: 'How long an attempt took a worker, from its delivery until its reply was sent.',
      labelNames: ['queue', 'job_name'],
      buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600],
      registers,
    })
    this.#outcomes = new Counter({
      name: 'berth_job_outcomes_total',
      help: 'Attempts by outcome: done, skipped, failed, or the code of the refusal.',
      labelNames: ['queue', 'job_name', 'outcome'],
      registers,
    })
    this.#batches = new Histogram({
      name: 'berth_job_attempts',
      help: 'How many attempts a job of the queue carried.',
      labelNames: ['queue'],
      buckets: [1, 2, 4, 8, 16, 32, BATCH_ATTEMPTS_MAX],
      registers,
    })
    this.#takeovers = new Counter({
      name: 'berth_jobs_taken_over_total',
      help: 'Jobs taken over from workers that stopped responding.',
      labelNames: ['queue'],
      registers,
    })
    this.#stopObserving = countStatements(this.registry)
    this.#server = new MetricsServer({ registry: this.registry, isReady: () => this.#isUp() }, address, log)
  }

  /** Reports whether the worker can take jobs, as /readyz does. */
  showQueuesUp(isUp: () => boolean) {
    this.#isUp = isUp
    addGauge(this.registry, QUEUES_UP_GAUGE, (gauge) => gauge.set(isUp() ? 1 : 0))
  }

  observerOf(queue: QueueName): WorkObserver {
    this.#takeovers.inc({ queue }, 0)
    // Initializes the counter of each outcome to 0. Otherwise, a counter that first appears with a failure would show
    // no increase.
    for (const job of listJobs(queue)) this.#outcomes.inc({ queue, job_name: job, outcome: 'failed' }, 0)
    return {
      carried: (attempts) => this.#batches.observe({ queue }, attempts),
      ended: (name, ended, seconds) => {
        const job_name = JOB_NAMES.has(name) ? name : 'unknown'
        this.#durations.observe({ queue, job_name }, seconds)
        this.#outcomes.inc({ queue, job_name, outcome: getOutcome(ended) })
      },
      tookOver: () => this.#takeovers.inc({ queue }),
    }
  }

  stop() {
    this.#server.stop()
    this.#stopObserving()
  }
}

function listJobs(queue: QueueName): string[] {
  if (queue === 'upkeep') return UPKEEP_JOBS
  return Object.entries(jobs).flatMap(([name, job]) => (job.queue === queue ? [name] : []))
}

function getOutcome(ended: EndedAttempt): string {
  if (ended instanceof Error) return 'failed'
  if ('skipped' in ended) return 'skipped'
  if (ended.refused === undefined) return 'done'
  return Object.hasOwn(REFUSALS, ended.refused) ? ended.refused : 'unknown'
}

// Counts statements and round trips to Postgres. A statement starts a round trip if no other statement is under way on
// its connection.
function countStatements(registry: Registry): () => void {
  const { Counter } = loadPromClient()
  const options = { labelNames: ['pool'], registers: [registry] }
  const statements = new Counter({
    name: 'berth_database_statements_total',
    help: 'Statements sent to Postgres; cursors and COPY are not counted.',
    ...options,
  })
  const roundTrips = new Counter({
    name: 'berth_database_round_trips_total',
    help: 'How often a connection to Postgres was sent statements and waited for their results.',
    ...options,
  })
  const underWay = new WeakMap<Statement['connection'], number>()
  const add = (connection: Statement['connection'], number: number) =>
    underWay.set(connection, (underWay.get(connection) ?? 0) + number)
  return observeStatements(({ connection, pool }) => {
    statements.inc({ pool })
    if (!underWay.get(connection)) roundTrips.inc({ pool })
    add(connection, 1)
    return () => add(connection, -1)
  })
}
