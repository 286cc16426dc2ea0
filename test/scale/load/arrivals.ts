// Sends a fixed number of writes and reads per second without waiting for responses, like many independent callers. It
// runs in a separate process, so that only the gateway's work is measured.
import { BOOKINGS_PATH, createBookingBody, type Office } from '../../../bench/load/bookings.ts'
import { Connection } from '../../../bench/load/connection.ts'

export type Arrivals = {
  urls: string[]
  token: string
  seconds: number
  writesPerSecond: number
  readsPerSecond: number
  readPath: string
  office: Office
  /** The first free slot. All earlier slots are booked. */
  firstSlot: number
  connectionsMax: number
}

export type LatencySummary = { count: number; p50Ms: number; p99Ms: number; maxMs: number }

export type Outcome = {
  writes: Record<string, LatencySummary>
  reads: Record<string, LatencySummary>
  /** Requests that could not be sent in time because all connections were in use. */
  notSent: number
  withoutRetryAfter: number
  nextSlot: number
}

const TICK_MS = 2
const TIMEOUT_MS = 60_000

class ArrivingRequests {
  readonly #arrivals: Arrivals
  readonly #idle: Connection[] = []
  readonly #times = { writes: new Map<string, number[]>(), reads: new Map<string, number[]>() }
  readonly #underWay = new Set<Promise<void>>()
  #opened = 0
  #notSent = 0
  #withoutRetryAfter = 0
  #slot: number

  constructor(arrivals: Arrivals) {
    this.#arrivals = arrivals
    this.#slot = arrivals.firstSlot
  }

  async run(): Promise<Outcome> {
    const { seconds, writesPerSecond, readsPerSecond } = this.#arrivals
    const startedMs = performance.now()
    const endMs = startedMs + seconds * 1_000
    const sent = { writes: 0, reads: 0 }
    while (performance.now() < endMs) {
      const elapsed = (performance.now() - startedMs) / 1_000
      for (; sent.writes < elapsed * writesPerSecond; sent.writes++) this.#send('writes')
      for (; sent.reads < elapsed * readsPerSecond; sent.reads++) this.#send('reads')
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    }
    await Promise.all(this.#underWay)
    for (const connection of this.#idle) connection.close()
    return {
      writes: countAll(this.#times.writes),
      reads: countAll(this.#times.reads),
      notSent: this.#notSent,
      withoutRetryAfter: this.#withoutRetryAfter,
      nextSlot: this.#slot,
    }
  }

  #send(kind: 'writes' | 'reads') {
    if (this.#idle.length === 0 && this.#opened >= this.#arrivals.connectionsMax) {
      this.#notSent++
      return
    }
    const asked = this.#ask(kind, this.#requestOf(kind), performance.now()).finally(() =>
      this.#underWay.delete(asked),
    )
    this.#underWay.add(asked)
  }

  async #ask(kind: 'writes' | 'reads', request: string, dueMs: number) {
    let result = 'failed'
    const known = this.#idle.pop()
    if (!known) this.#opened++
    try {
      const connection = known?.isOpen ? known : await this.#open()
      const timer = setTimeout(() => connection.close(), TIMEOUT_MS)
      const status = await connection.ask(request).finally(() => clearTimeout(timer))
      if (status === 503 && !/\r\nretry-after: *\d/i.test(connection.head)) this.#withoutRetryAfter++
      result = String(status)
      this.#idle.push(connection)
    } catch (error) {
      this.#opened--
      result = (error as Error).message
    }
    const times = this.#times[kind].get(result) ?? []
    this.#times[kind].set(result, times)
    times.push(performance.now() - dueMs)
  }

  #open(): Promise<Connection> {
    const { urls } = this.#arrivals
    const { hostname, port } = new URL(urls[this.#opened % urls.length] ?? '')
    return Connection.open(Number(port), hostname)
  }

  #requestOf(kind: 'writes' | 'reads'): string {
    const { token, readPath, office } = this.#arrivals
    const head = (line: string) => `${line} HTTP/1.1\r\nHost: berth\r\nAuthorization: Bearer ${token}\r\n`
    if (kind === 'reads') return `${head(`GET ${readPath}`)}\r\n`
    const body = createBookingBody(office, this.#slot++)
    return `${head(`POST ${BOOKINGS_PATH}`)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }
}

function countAll(times: Map<string, number[]>): Record<string, LatencySummary> {
  return Object.fromEntries([...times].map(([result, each]) => [result, countTimes(each)]))
}

function countTimes(times: number[]): LatencySummary {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (part: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
}

process.on('message', async (arrivals: Arrivals) => {
  process.send?.(await new ArrivingRequests(arrivals).run())
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
