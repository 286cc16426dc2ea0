// Runs the fuzzer: rounds of requests with the memory measured in between, corrupted files, and hostile connections.

import type { Patch } from '../harness/built-copy.ts'
import { createManyBookings } from '../support/factories.ts'
import { Client } from '../support/http/http.ts'
import { openApiOf } from '../support/http/openapi.ts'
import {
  createSlowWriterTrials,
  createTrials,
  LONG_TRIAL_SIZES,
  runConnections,
} from './connections/run-connections.ts'
import { runFiles } from './files/run-files.ts'
import type { Figures, Finding } from './findings.ts'
import { checkMemoryGrowth, type MemorySample } from './memory.ts'
import { runRaces } from './requests/run-races.ts'
import { findNeverSucceeded, type RequestsReport, runRequests } from './requests/run-requests.ts'
import { listOperations } from './requests/valid.ts'
import { openProcessStage, type ProcessStage, STREAM_IDLE_MS } from './stage/processes.ts'
import { watchSheetReaders } from './stage/sheets.ts'

export type RunOptions = {
  seed: number
  requests: number
  /** The number of races. A race sends several requests about the same resources at the same moment. */
  races?: number
  /** The number of the first request or race. */
  from?: number
  files: number
  /** The number of corrupted files that a worker imports. */
  imports: number
  connections: boolean
  /** The run sends no more requests after this time. */
  minutes?: number
  patches?: Patch[]
  onProgress?(what: string): void
  /** Receives findings as soon as they exist, because a run may be interrupted. */
  onFindings?(findings: Finding[]): void
}

export type Report = {
  findings: Finding[]
  answers: RequestsReport['answers']
  measured: MemorySample[]
  outcomes: Map<string, number>
  figures: Figures
}

// The memory is measured between rounds.
const ROUND_COUNT = 12
const REQUESTS_PER_ROUND_MAX = 2_000
const RACES_PER_ROUND = 500
const CLIENT_COUNT = 16
const READER_COUNT = 2
const IMPORTER_COUNT = 4
const RACES_AT_ONCE = 4
// Enough bookings for a response that is longer than the buffers of a connection.
const BOOKING_COUNT = 40_000
// With fewer requests, the run might not request some operations at all.
const REQUESTS_TO_COVER_OPERATIONS = 3_000

export async function runFuzz(options: RunOptions): Promise<Report> {
  const report: Report = { findings: [], answers: new Map(), measured: [], outcomes: new Map(), figures: {} }
  const stage = await openProcessStage(options.patches)
  try {
    if (options.requests > 0) await fuzzRequests(stage, options, report)
    if (options.races) await fuzzRaces(stage, options, report)
    if (options.files > 0) await fuzzFiles(options, report)
    if (options.imports > 0) await fuzzImports(stage, options, report)
    if (options.connections) await fuzzConnections(stage, options, report)
  } finally {
    await stage.close()
  }
  return report
}

async function fuzzRequests(stage: ProcessStage, options: RunOptions, report: Report): Promise<void> {
  const { seed, requests, from = 0, onProgress } = options
  const round = Math.min(REQUESTS_PER_ROUND_MAX, Math.ceil(requests / ROUND_COUNT))
  const startedMs = Date.now()
  const isTimeLeft = () => Date.now() - startedMs < (options.minutes ?? Infinity) * 60_000
  let passed = 0
  let done = 0
  while (done < requests && isTimeLeft() && !hasEnded(report)) {
    const count = Math.min(round, requests - done)
    const part = await runRequests({ stage, seed, from: from + done, count, clients: CLIENT_COUNT })
    done += count
    passed += part.passed
    report.findings.push(...part.findings)
    options.onFindings?.(part.findings)
    addAnswers(report.answers, part.answers)
    if (!hasEnded(report)) report.measured.push({ requests: done, ...(await stage.measure()) })
    onProgress?.(`${done} requests, ${report.findings.length} findings`)
  }
  const { document } = await openApiOf(stage.url)
  const operations = listOperations(document).map(({ method, template }) => `${method} ${template}`)
  if (done >= REQUESTS_TO_COVER_OPERATIONS) report.findings.push(...findNeverSucceeded(report, operations))
  report.findings.push(...checkMemoryGrowth(report.measured))
  Object.assign(report.figures, {
    requests: done,
    'requests a second': Math.round((done * 1_000) / (Date.now() - startedMs)),
    'refused for the moment (503, 504) and sent again': passed,
  })
}

async function fuzzRaces(stage: ProcessStage, options: RunOptions, report: Report): Promise<void> {
  const { seed, races = 0, from = 0, onProgress } = options
  let done = 0
  let requests = 0
  while (done < races && !hasEnded(report)) {
    const count = Math.min(RACES_PER_ROUND, races - done)
    const part = await runRaces({ stage, seed, from: from + done, count, clients: RACES_AT_ONCE })
    report.findings.push(...part.findings)
    options.onFindings?.(part.findings)
    addAnswers(report.answers, part.answers)
    done += count
    requests += countAnswers(part)
    onProgress?.(`${done} races, ${report.findings.length} findings`)
  }
  Object.assign(report.figures, { races: done, 'requests of races': requests })
}

function countAnswers({ answers }: RequestsReport): number {
  const counts = [...answers.values()].flatMap((each) => [...each.values()])
  return counts.reduce((sum, times) => sum + times, 0)
}

const hasEnded = ({ findings }: Report) => findings.some(({ promise }) => promise === 'no process ends')

async function fuzzFiles({ seed, files, onProgress }: RunOptions, report: Report): Promise<void> {
  const { findings, outcomes, figures } = await runFiles({
    seed,
    from: 0,
    count: files,
    readers: READER_COUNT,
  })
  report.findings.push(...findings)
  report.outcomes = outcomes
  Object.assign(report.figures, figures)
  onProgress?.(`${files} files, ${report.findings.length} findings`)
}

async function fuzzImports(stage: ProcessStage, options: RunOptions, report: Report): Promise<void> {
  const { seed, imports, onProgress } = options
  const sheets = watchSheetReaders(stage.worker.pid)
  const before = await stage.measure()
  const part = await runRequests({
    stage,
    seed,
    from: 0,
    count: imports,
    clients: IMPORTER_COUNT,
    onlyImports: true,
  })
  const after = await stage.measure()
  addAnswers(report.answers, part.answers)
  report.findings.push(...part.findings, ...sheets.findings())
  Object.assign(report.figures, {
    imports,
    ...sheets.figures(),
    'memory of the worker before and after': `${before.worker.rssMb} MB, ${after.worker.rssMb} MB`,
  })
  onProgress?.(`${imports} imports, ${report.findings.length} findings`)
}

async function fuzzConnections(
  stage: ProcessStage,
  { onProgress }: RunOptions,
  report: Report,
): Promise<void> {
  const { bookables, users, token } = stage.dictionary
  const home = bookables.find(({ type }) => type === 3)
  await createManyBookings(stage.database, {
    bookable_id: home?.id ?? 0,
    user_id: users[0] ?? 0,
    number: BOOKING_COUNT,
  })
  const client = new Client(stage.url, token)
  const before = await stage.measure()
  const parts = await Promise.all([
    runConnections(client, createTrials(client, LONG_TRIAL_SIZES, STREAM_IDLE_MS)),
    runConnections(client, createSlowWriterTrials(client)),
  ])
  for (const { figures, findings } of parts) {
    Object.assign(report.figures, figures)
    report.findings.push(...findings)
  }
  const after = await stage.measure()
  report.figures['sockets of the gateway before and after'] =
    `${before.gateway.sockets}, ${after.gateway.sockets}`
  report.figures['memory of the gateway before and after'] =
    `${before.gateway.rssMb} MB, ${after.gateway.rssMb} MB`
  report.findings.push(...stage.takeErrors())
  onProgress?.(`connections, ${report.findings.length} findings`)
}

function addAnswers(sum: RequestsReport['answers'], part: RequestsReport['answers']): void {
  for (const [operation, counts] of part) {
    const known = sum.get(operation) ?? new Map<string, number>()
    for (const [status, times] of counts) known.set(status, (known.get(status) ?? 0) + times)
    sum.set(operation, known)
  }
}
