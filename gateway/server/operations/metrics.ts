// Collects what /metrics reports about a process: how long requests take by route and status, temporary refusals (429,
// 503 and 504), and how full the process is. If several gateway processes share a port, the first process adds their
// figures up, whichever process gets the request.
import cluster, { type Worker } from 'node:cluster'
import { on } from 'node:events'
import { AggregatorRegistry, Counter, Histogram, type Registry } from 'prom-client'
import { explainConnectionFault } from '../../../shared/database/faults.ts'
import type { Refusal } from '../../../shared/messages/refusal.ts'
import { addGauge, createRegistry } from '../../../shared/metrics/registry.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import type { Admission } from '../../overload/admission.ts'

const METRICS_REQUEST = 'berth:metrics?'
const METRICS_ANSWER = 'berth:metrics!'
const SUPERVISOR_TIMEOUT_MS = 2_000

const RATE_LIMITS = ['token', 'address', 'sign_in', 'pages', 'screen'] as const
export type RateLimit = (typeof RATE_LIMITS)[number]

export class Metrics {
  readonly registry = createRegistry()
  readonly #requests = new Histogram({
    name: 'berth_http_request_duration_seconds',
    help: 'How long requests took, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  })
  readonly #limited = new Counter({
    name: 'berth_rate_limit_refusals_total',
    help: 'Requests refused by a rate limit: of a token, of an address with invalid tokens, of sign-ins, of the pages of one person or administrator, or of one screen.',
    labelNames: ['limit'],
    registers: [this.registry],
  })

  constructor() {
    for (const limit of RATE_LIMITS) this.#limited.inc({ limit }, 0)
    AggregatorRegistry.setRegistries([this.registry])
    // Creating a registry makes this process respond when the first process asks for its figures.
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
}

/** Runs in the supervising process, and sends the figures of all processes to the other processes. */
export function serveClusterMetrics(log: (error: unknown) => void) {
  const everybody = new AggregatorRegistry()
  cluster.on('message', async (worker: Worker, message: unknown) => {
    if (message !== METRICS_REQUEST) return
    try {
      worker.send({ [METRICS_ANSWER]: await everybody.clusterMetrics() })
    } catch (error) {
      log(error)
    }
  })
}

async function requestClusterMetrics(): Promise<string> {
  const messages = on(process, 'message', { signal: AbortSignal.timeout(SUPERVISOR_TIMEOUT_MS) })
  process.send?.(METRICS_REQUEST)
  for await (const [message] of messages) {
    const text: unknown = message?.[METRICS_ANSWER]
    if (typeof text === 'string') return text
  }
  throw new Error('The supervising process did not respond')
}

type RefusedRequest = { requestId: string; method: string; route: string | undefined }

const TRANSIENT_STATUSES = new Set([429, 503, 504])
const FAULT_OVER_AFTER_MS = 10_000

export class RefusalLog {
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
    // Does not count these causes for each request, because they describe the state of a part of the gateway,
    // which is the same for many requests.
    if (code === 'unavailable') {
      const fault = explainConnectionFault(error)
      this.#faultsOf(reason).fault(error, fault === undefined ? message : `Postgres ${fault}`, request)
    } else this.#log[code === 'internal_error' ? 'error' : 'warn']({ err: error, ...request }, message)
  }

  #faultsOf(reason: string): FaultLog {
    const overMessage = `requests are no longer refused (${reason})`
    const faults = this.#faults.get(reason) ?? new FaultLog(this.#log, overMessage, FAULT_OVER_AFTER_MS)
    this.#faults.set(reason, faults)
    return faults
  }
}

export function observeAdmission(
  registry: Registry,
  admissions: Record<string, Pick<Admission, 'fair' | 'limit'>>,
) {
  const show = (name: string, help: string, read: (admission: Pick<Admission, 'fair' | 'limit'>) => number) =>
    addGauge(registry, { name, help, labelNames: ['kind'], aggregator: 'sum' }, (gauge) => {
      for (const [kind, admission] of Object.entries(admissions)) gauge.set({ kind }, read(admission))
    })
  show(
    'berth_under_way',
    'Reads, writes and pages that the gateway is working on.',
    ({ fair }) => fair.underWay,
  )
  show('berth_under_way_limit', 'How many it begins at the moment.', ({ limit }) => limit)
  show('berth_waiting', 'Reads, writes and pages that wait for their turn.', ({ fair }) => fair.waiting)
}
