// Runs connection trials while other clients are served: most trials run one after the other, and trials that
// mostly wait run together.
import type { Client } from '../../support/http/http.ts'
import { promised } from '../../support/time.ts'
import type { Figures, Finding } from '../findings.ts'
import { measureOtherClients } from './others.ts'
import {
  type Trial,
  testEndlessUploads,
  testHalfOpenConnections,
  testIdleConnections,
  testPipelining,
  testSlowReaders,
  testSlowWriters,
} from './trials.ts'

export type Trials = Record<string, () => Promise<Trial>>
export type ConnectionsReport = { figures: Figures; findings: Finding[] }

// The longest acceptable response time for another client.
const OTHER_CLIENT_MS_MAX = 2_000

export type TrialSizes = {
  idle: number
  idleMs: number
  pipelined: number
  halfOpen: number
  readers: number
  uploads: number
}

export const SHORT_TRIAL_SIZES: TrialSizes = {
  idle: 300,
  idleMs: 300,
  pipelined: 200,
  halfOpen: 50,
  readers: 8,
  uploads: 1,
}
export const LONG_TRIAL_SIZES: TrialSizes = {
  idle: 10_000,
  idleMs: 15_000,
  pipelined: 2_000,
  halfOpen: 500,
  readers: 40,
  uploads: 8,
}

/** `streamIdleMs` is the time after which the gateway cuts a response that nobody reads. */
export function createTrials(client: Client, sizes: TrialSizes, streamIdleMs: number): Trials {
  return {
    'idle connections': () => testIdleConnections(client, sizes.idle, sizes.idleMs),
    pipelining: () => testPipelining(client, sizes.pipelined),
    'half-open connections': () => testHalfOpenConnections(client, sizes.halfOpen),
    'slow readers': () => testSlowReaders(client, sizes.readers, getCutMsMax(sizes.readers, streamIdleMs)),
    'uploads that never end': () => testEndlessUploads(client, sizes.uploads, 120_000),
  }
}

// The gateway streams only this many responses simultaneously. All others wait until the gateway has cut one
// of these.
const STREAM_SLOTS = 4
const getCutMsMax = (readers: number, streamIdleMs: number) =>
  (readers / STREAM_SLOTS) * streamIdleMs * 1.5 + 5_000

// Every 30 s Node closes connections whose headers take longer than 60 s, or whose requests take longer than 300 s.
const SLOW_WRITERS_MS_MAX = 345_000

export const createSlowWriterTrials = (client: Client): Trials => ({
  'slow writers': () => testSlowWriters(client, 200, SLOW_WRITERS_MS_MAX),
})

export async function runConnections(client: Client, trials: Trials): Promise<ConnectionsReport> {
  const report: ConnectionsReport = { figures: {}, findings: [] }
  for (const [name, trial] of Object.entries(trials)) {
    const pressure = trial()
    const [{ figures, findings }, served] = await Promise.all([
      pressure,
      measureOtherClients(client, pressure),
    ])
    Object.assign(report.figures, figures, {
      [`${name}: others, slowest of ${served.asked}`]: `${served.slowestMs} ms`,
    })
    report.findings.push(...findings)
    const isServed = served.failed.length === 0 && served.slowestMs <= promised(OTHER_CLIENT_MS_MAX)
    const what = `beside ${name}: slowest ${served.slowestMs} ms, failed ${served.failed.slice(0, 5).join(', ') || 'none'}`
    if (!isServed) report.findings.push({ promise: 'others are served', what })
  }
  return report
}
