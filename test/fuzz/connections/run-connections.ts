// One trial after the other, or side by side where they mostly wait; others are served all the time.
import type { Client } from '../../support/http/http.ts'
import { promised } from '../../support/time.ts'
import type { Figures, Finding } from '../findings.ts'
import { serveOthers } from './others.ts'
import { endlessUploads, halfOpen, idle, pipelining, slowReaders, slowWriters, type Trial } from './trials.ts'

export type Trials = Record<string, () => Promise<Trial>>
export type ConnectionsReport = { figures: Figures; findings: Finding[] }

// How long one of the others may wait.
const SERVED_MS_MAX = 2_000

export type Sizes = {
  idle: number
  idleMs: number
  pipelined: number
  halfOpen: number
  readers: number
  uploads: number
}

export const SHORT: Sizes = { idle: 300, idleMs: 300, pipelined: 200, halfOpen: 50, readers: 8, uploads: 1 }
export const LONG: Sizes = {
  idle: 10_000,
  idleMs: 15_000,
  pipelined: 2_000,
  halfOpen: 500,
  readers: 40,
  uploads: 8,
}

/** `streamIdleMs`: after how long the gateway cuts an answer that nobody reads. */
export function trialsOf(client: Client, sizes: Sizes, streamIdleMs: number): Trials {
  return {
    'idle connections': () => idle(client, sizes.idle, sizes.idleMs),
    pipelining: () => pipelining(client, sizes.pipelined),
    'half-open connections': () => halfOpen(client, sizes.halfOpen),
    'slow readers': () => slowReaders(client, sizes.readers, cutMsOf(sizes.readers, streamIdleMs)),
    'uploads that never end': () => endlessUploads(client, sizes.uploads, 120_000),
  }
}

// Only so many are streamed at once; those that wait have their turn when the others were cut. On a busy machine it takes a
// while until there is as much as nobody reads.
const STREAMS = 4
const cutMsOf = (readers: number, streamIdleMs: number) => (readers / STREAMS) * streamIdleMs * 1.5 + 5_000

// Node looks every 30 s for headers that take longer than 60 s, and requests that take longer than 300 s.
const SLOW_WRITERS_MS_MAX = 345_000

export const slowWritersOf = (client: Client): Trials => ({
  'slow writers': () => slowWriters(client, 200, SLOW_WRITERS_MS_MAX),
})

export async function runConnections(client: Client, trials: Trials): Promise<ConnectionsReport> {
  const report: ConnectionsReport = { figures: {}, findings: [] }
  for (const [name, trial] of Object.entries(trials)) {
    const pressure = trial()
    const [{ figures, findings }, served] = await Promise.all([pressure, serveOthers(client, pressure)])
    Object.assign(report.figures, figures, {
      [`${name}: others, slowest of ${served.asked}`]: `${served.slowestMs} ms`,
    })
    report.findings.push(...findings)
    const isServed = served.failed.length === 0 && served.slowestMs <= promised(SERVED_MS_MAX)
    const what = `beside ${name}: slowest ${served.slowestMs} ms, failed ${served.failed.slice(0, 5).join(', ') || 'none'}`
    if (!isServed) report.findings.push({ promise: 'others are served', what })
  }
  return report
}
