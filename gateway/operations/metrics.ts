// Collects what /metrics shows: how long requests take by route and status, how full the queues are, and the
// process itself. It also counts temporary refusals (429, 503 and 504). With several gateway processes on one port, the first one adds them up, whichever was
// asked.
import type { Worker } from 'node:cluster'
import cluster from 'node:cluster'
import { AggregatorRegistry, Counter, type Gauge, Histogram, type Registry } from 'prom-client'
import { explainConnectionFault } from '../../shared/database/faults.ts'
import type { Refusal } from '../../shared/messages/refusal.ts'
import { addGauge, createRegistry } from '../../shared/metrics/registry.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import type { QueueFigures, QueueMonitor } from '../jobs/queue-monitor.ts'
import type { Replies } from '../jobs/replies.ts'
import type { Admission } from '../overload/admission.ts'

const QUESTION = 'berth:metrics?'
const ANSWER = 'berth:metrics!'
const SUPERVISOR_TIMEOUT_MS = 2_000
// The gauges of one scrape share one read of the queues.
const FIGURES_AGE_MS_MAX = 100

const RATE_LIMITS = ['token', 'address', 'sign_in'] as const
export type RateLimit = (typeof RATE_LIMITS)[number]

export class Metrics {
  readonly registry = createRegistry()
  readonly #requests: Histogram
  readonly #limited: Counter
  #figures: Promise<QueueFigures[]> | undefined
  #readMs = 0

  constructor(queues: QueueMonitor, replies: Pick<Replies, 'isOpen'>) {
    const registers = [this.registry]
    this.#requests = new Histogram({
      name: 'berth_http_request_duration_seconds',
      help: 'How long requests took, by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    })
    this.#limited = new Counter({
      name: 'berth_rate_limit_refusals_total',
      help: 'Requests refused by a rate limit: of a token, of an address with invalid tokens, or of sign-ins.',
      labelNames: ['limit'],
      registers,
    })
    for (const limit of RATE_LIMITS) this.#limited.inc({ limit }, 0)
    // One process that misses replies is enough: its callers wait until their receipts are read.
    const open = 'Whether this process hears the replies of workers at once.'
    const channel = { name: 'berth_reply_channel_up', help: open, aggregator: 'min' as const }
    addGauge(this.registry, channel, (gauge) => gauge.set(replies.isOpen ? 1 : 0))
    // All processes see the same queues: adding their figures up would be wrong.
    const add = (
      name: string,
      help: string,
      label: string[],
      show: (of: QueueFigures, gauge: Gauge) => void,
    ) =>
      addGauge(
        this.registry,
        { name, help, labelNames: ['queue', ...label], aggregator: 'max' },
        async (gauge) => {
          for (const figures of await this.#read(queues)) show(figures, gauge)
        },
      )
    add('berth_queue_jobs', 'Jobs in a queue, by state.', ['state'], ({ queue, counts }, gauge) => {
      for (const [state, number] of Object.entries(counts)) gauge.set({ queue, state }, number)
    })
    const waits = 'How long the oldest job of a queue has been waiting.'
    add('berth_queue_oldest_wait_seconds', waits, [], ({ queue, oldestWaitMs }, gauge) =>
      gauge.set({ queue }, oldestWaitMs / 1000),
    )
    const reaching = 'Workers of a queue that can reach Redis and their database.'
    add('berth_queue_workers', reaching, [], ({ queue, workers }, gauge) => gauge.set({ queue }, workers))
    AggregatorRegistry.setRegistries([this.registry])
    // Creating one makes this process answer when the first process asks for its figures.
    if (cluster.isWorker) new AggregatorRegistry()
  }

  observeRequest(labels: { method: string; route: string; status: string }, seconds: number) {
    this.#requests.observe(labels, seconds)
  }

  countLimited(limit: RateLimit) {
    this.#limited.inc({ limit })
  }

  async text(): Promise<string> {
    return cluster.isWorker ? requestClusterMetrics() : this.registry.metrics()
  }

  // Without Redis, the figures of the queues are left out instead of being stale.
  #read(queues: QueueMonitor): Promise<QueueFigures[]> {
    if (!this.#figures || Date.now() - this.#readMs > FIGURES_AGE_MS_MAX) {
      this.#readMs = Date.now()
      this.#figures = queues.isUp() ? queues.figures().catch(() => []) : Promise.resolve([])
    }
    return this.#figures
  }
}

/** Runs in the supervising process: answers the others with the figures of all processes. */
export function serveClusterMetrics(log: (error: unknown) => void) {
  const everybody = new AggregatorRegistry()
  cluster.on('message', async (worker: Worker, message: unknown) => {
    if (message !== QUESTION) return
    try {
      worker.send({ [ANSWER]: await everybody.clusterMetrics() })
    } catch (error) {
      log(error)
    }
  })
}

function requestClusterMetrics(): Promise<string> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      process.off('message', listen)
    }
    const listen = (message: Record<string, unknown>) => {
      const text = message?.[ANSWER]
      if (typeof text !== 'string') return
      stop()
      resolve(text)
    }
    const timer = setTimeout(() => {
      stop()
      reject(new Error('The supervising process did not respond'))
    }, SUPERVISOR_TIMEOUT_MS)
    process.on('message', listen)
    process.send?.(QUESTION)
  })
}

type RefusedRequest = { requestId: string; method: string; route: string | undefined }

const TRANSIENT_STATUSES = new Set([429, 503, 504])
const OVER_AFTER_MS = 10_000

export class Refusals {
  readonly #log: Log
  readonly #counter: Counter
  readonly #faults = new Map<string, FaultLog>()

  constructor(registry: Registry, log: Log) {
    this.#log = log
    this.#counter = new Counter({
      name: 'berth_refusals_total',
      help: 'Requests refused with 429, 503 or 504, by reason.',
      labelNames: ['reason'],
      registers: [registry],
    })
  }

  note(refusal: Refusal, error: unknown, request: RefusedRequest) {
    const { status, code, reason, message } = refusal
    if (TRANSIENT_STATUSES.has(status)) this.#counter.inc({ reason })
    if (status < 500) return
    // These describe the state of a part of the service, the same for many requests.
    if (code === 'unavailable') {
      const fault = explainConnectionFault(error)
      this.#faultsOf(reason).fault(error, fault === undefined ? message : `Postgres ${fault}`, request)
    } else this.#log[code === 'internal_error' ? 'error' : 'warn']({ err: error, ...request }, message)
  }

  #faultsOf(reason: string): FaultLog {
    const overMessage = `requests are no longer refused (${reason})`
    const faults = this.#faults.get(reason) ?? new FaultLog(this.#log, overMessage, OVER_AFTER_MS)
    this.#faults.set(reason, faults)
    return faults
  }
}

export function observeAdmission(registry: Registry, admissions: Record<string, Admission>) {
  const show = (name: string, help: string, read: (admission: Admission) => number) =>
    addGauge(registry, { name, help, labelNames: ['kind'], aggregator: 'sum' }, (gauge) => {
      for (const [kind, admission] of Object.entries(admissions)) gauge.set({ kind }, read(admission))
    })
  show('berth_under_way', 'Reads and writes that the gateway has begun.', ({ fair }) => fair.underWay)
  show('berth_under_way_limit', 'How many it begins at the moment.', ({ limit }) => limit)
  show('berth_waiting', 'Reads and writes that wait to be begun.', ({ fair }) => fair.waiting)
}
