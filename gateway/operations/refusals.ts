// Counts temporary refusals (429, 503 and 504) by reason for /metrics, and logs failures.
import { Counter, type Registry } from 'prom-client'
import { explainConnectionFault } from '../../shared/database/faults.ts'
import type { Refusal } from '../../shared/messages/refusal.ts'
import { addGauge } from '../../shared/metrics/registry.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import type { Admission } from '../overload/admission.ts'

/** The request as the log names it. */
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

/** Shows how full a process is. */
export function observeAdmission(registry: Registry, admissions: Record<string, Admission>) {
  const show = (name: string, help: string, read: (admission: Admission) => number) =>
    addGauge(registry, { name, help, labelNames: ['kind'], aggregator: 'sum' }, (gauge) => {
      for (const [kind, admission] of Object.entries(admissions)) gauge.set({ kind }, read(admission))
    })
  show('berth_under_way', 'Reads and writes that the gateway has begun.', ({ underWay }) => underWay)
  show('berth_under_way_limit', 'How many it begins at the moment.', ({ limit }) => limit)
  show('berth_waiting', 'Reads and writes that wait to be begun.', ({ waiting }) => waiting)
}
