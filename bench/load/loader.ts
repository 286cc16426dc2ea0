// The load generator, a separate process. Each of its connections sends a request as soon as the previous one is
// answered. When the time is over, it sends no more requests, but waits for the pending ones and counts them.
import { setTimeout as sleep } from 'node:timers/promises'
import { computeQuantile } from '../measure.ts'
import { performTasks } from '../stage/tasks.ts'
import { BOOKINGS_PATH, createBookingBody } from './bookings.ts'
import { Connection } from './connection.ts'
import type { LoadRequest, LoadResult, LoadSettings } from './work.ts'

const TIMEOUT_MS = 30_000

performTasks(runLoad)

async function runLoad(work: LoadSettings): Promise<LoadResult> {
  const { hostname, port } = new URL(work.url)
  const open = () => Connection.open(Number(port), hostname)
  const request = createRequestEncoder(work)
  const { requestsMax = Number.MAX_SAFE_INTEGER } = work
  const times: number[] = []
  const failures: Record<string, number> = {}
  let sent = 0
  const fail = (reason: string) => {
    failures[reason] = (failures[reason] ?? 0) + 1
  }

  const askAgainAndAgain = async (first: Connection, endMs: number) => {
    let connection = first
    while (sent < requestsMax && performance.now() < endMs) {
      const number = sent++
      const askedMs = work.perSecond
        ? await waitUntilDue(startedMs + (number * 1_000) / work.perSecond)
        : performance.now()
      try {
        if (!connection.isOpen) connection = await open()
        const status = await withTimeout(connection, connection.ask(request(number)))
        times.push(performance.now() - askedMs)
        if (status < 200 || status > 299) fail(String(status))
      } catch (error) {
        fail((error as Error).message)
      }
    }
    connection.close()
  }

  const connections = await Promise.all(Array.from({ length: work.connections }, open))
  const startedMs = performance.now()
  const startedCpu = process.cpuUsage()
  const endMs = startedMs + work.seconds * 1_000
  await Promise.all(connections.map((connection) => askAgainAndAgain(connection, endMs)))
  const { user, system } = process.cpuUsage(startedCpu)
  return {
    sent,
    answered: times.length,
    failures,
    seconds: (performance.now() - startedMs) / 1_000,
    p50Ms: computeQuantile(times, 0.5),
    p99Ms: computeQuantile(times, 0.99),
    loaderCpuUs: user + system,
  }
}

/** If all connections are busy, a request is sent late. Its response time is then measured from the time when
 * it was due. */
async function waitUntilDue(dueMs: number): Promise<number> {
  if (dueMs > performance.now()) await sleep(dueMs - performance.now())
  return dueMs
}

function withTimeout(connection: Connection, answer: Promise<number>): Promise<number> {
  const timer = setTimeout(() => connection.close(), TIMEOUT_MS)
  return answer.finally(() => clearTimeout(timer))
}

/** Returns a function that returns the bytes of the n-th request. */
function createRequestEncoder({
  url,
  headers,
  requests,
  bookings,
}: LoadSettings): (number: number) => string | Buffer {
  const common = { Host: new URL(url).host, ...headers }
  const bytesOf = ({ method, path, body, headers: own }: LoadRequest) => {
    const all = Object.entries({ ...common, ...own }).map(([name, value]) => `${name}: ${value}\r\n`)
    const content = body
      ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
      : ''
    return `${method} ${path} HTTP/1.1\r\n${all.join('')}${content}\r\n${body ?? ''}`
  }
  if (bookings) {
    const { office, firstSlot } = bookings
    return (number) =>
      bytesOf({ method: 'POST', path: BOOKINGS_PATH, body: createBookingBody(office, firstSlot + number) })
  }
  const prepared = requests.map((each) => Buffer.from(bytesOf(each)))
  return (number) => prepared[number % prepared.length] as Buffer
}
