// The load generator, a separate process. Each of its connections sends a request as soon as the last one is
// answered. When the time is over, it sends nothing new, and waits for and counts what is under way.
import { quantile } from '../measure.ts'
import { doTasks } from '../stage/tasks.ts'
import { bookingBody } from './bookings.ts'
import { Connection } from './connection.ts'
import type { Loaded, Work } from './work.ts'

const TIMEOUT_MS = 30_000

doTasks(load)

async function load(work: Work): Promise<Loaded> {
  const { hostname, port } = new URL(work.url)
  const open = () => Connection.open(Number(port), hostname)
  const request = requestsOf(work)
  const times: number[] = []
  const failures: Record<string, number> = {}
  let sent = 0
  const fail = (reason: string) => {
    failures[reason] = (failures[reason] ?? 0) + 1
  }

  const askAgainAndAgain = async (first: Connection, endMs: number) => {
    let connection = first
    while (sent < work.requestsMax && performance.now() < endMs) {
      const number = sent++
      const askedMs = performance.now()
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
  const endMs = startedMs + work.seconds * 1_000
  await Promise.all(connections.map((connection) => askAgainAndAgain(connection, endMs)))
  return {
    sent,
    answered: times.length,
    failures,
    seconds: (performance.now() - startedMs) / 1_000,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  }
}

function withTimeout(connection: Connection, answer: Promise<number>): Promise<number> {
  const timer = setTimeout(() => connection.close(), TIMEOUT_MS)
  return answer.finally(() => clearTimeout(timer))
}

/** Returns the bytes of the n-th request. */
function requestsOf({ url, token, paths, bookings }: Work): (number: number) => string | Buffer {
  const { host } = new URL(url)
  const head = (method: string, path: string) =>
    `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n`
  if (!bookings) {
    const requests = paths.map((path) => Buffer.from(`${head('GET', path)}\r\n`))
    return (number) => requests[number % requests.length] as Buffer
  }
  const start = `${head('POST', paths[0] ?? '/')}Content-Type: application/json\r\nContent-Length: `
  return (number) => {
    const body = bookingBody(bookings.office, bookings.firstSlot + number)
    return `${start}${body.length}\r\n\r\n${body}`
  }
}
