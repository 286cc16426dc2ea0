// A run: requests in rounds with the memory measured between them, spoiled files, and connections that press.

import type { Patch } from '../harness/built-copy.ts'
import { createManyBookings } from '../support/factories.ts'
import { Client } from '../support/http/http.ts'
import { openApiOf } from '../support/http/openapi.ts'
import { LONG, runConnections, slowWritersOf, trialsOf } from './connections/run-connections.ts'
import { runFiles } from './files/run-files.ts'
import type { Figures, Finding } from './findings.ts'
import { judgeMemory, type Measured } from './memory.ts'
import { findNeverSucceeded, type RequestsReport, runRequests } from './requests/run-requests.ts'
import { operationsOf } from './requests/valid.ts'
import { openProcessStage, type ProcessStage, STREAM_IDLE_MS } from './stage/processes.ts'
import { watchSheets } from './stage/sheets.ts'

export type RunOptions = {
  seed: number
  requests: number
  /** The number of its first request. */
  from?: number
  files: number
  /** So many spoiled files go through a worker. */
  imports: number
  connections: boolean
  /** When this is over no more requests are sent. */
  minutes?: number
  patches?: Patch[]
  onProgress?(what: string): void
  /** At once: a run may not come to its end. */
  onFindings?(findings: Finding[]): void
}

export type Report = {
  findings: Finding[]
  answers: RequestsReport['answers']
  measured: Measured[]
  outcomes: Map<string, number>
  figures: Figures
}

// Between rounds the memory is measured.
const ROUNDS = 12
const ROUND_MAX = 2_000
const CLIENTS = 16
const READERS = 2
const IMPORTERS = 4
// As many as make an answer longer than what the system keeps for a connection.
const BOOKINGS = 40_000
// Below that some operation may not have its turn.
const REQUESTS_FOR_ALL = 3_000

export async function runFuzz(options: RunOptions): Promise<Report> {
  const report: Report = { findings: [], answers: new Map(), measured: [], outcomes: new Map(), figures: {} }
  const stage = await openProcessStage(options.patches)
  try {
    if (options.requests > 0) await fuzzRequests(stage, options, report)
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
  const round = Math.min(ROUND_MAX, Math.ceil(requests / ROUNDS))
  const startedMs = Date.now()
  const isTimeLeft = () => Date.now() - startedMs < (options.minutes ?? Infinity) * 60_000
  let passed = 0
  let done = 0
  while (done < requests && isTimeLeft() && !hasEnded(report)) {
    const count = Math.min(round, requests - done)
    const part = await runRequests({ stage, seed, from: from + done, count, clients: CLIENTS })
    done += count
    passed += part.passed
    report.findings.push(...part.findings)
    options.onFindings?.(part.findings)
    addAnswers(report.answers, part.answers)
    if (!hasEnded(report)) report.measured.push({ requests: done, ...(await stage.measure()) })
    onProgress?.(`${done} requests, ${report.findings.length} findings`)
  }
  const { document } = await openApiOf(stage.url)
  const operations = operationsOf(document).map(({ method, template }) => `${method} ${template}`)
  if (done >= REQUESTS_FOR_ALL) report.findings.push(...findNeverSucceeded(report, operations))
  report.findings.push(...judgeMemory(report.measured))
  Object.assign(report.figures, {
    requests: done,
    'requests a second': Math.round((done * 1_000) / (Date.now() - startedMs)),
    'refused for the moment (503, 504) and sent again': passed,
  })
}

const hasEnded = ({ findings }: Report) => findings.some(({ promise }) => promise === 'no process ends')

async function fuzzFiles({ seed, files, onProgress }: RunOptions, report: Report): Promise<void> {
  const { findings, outcomes, figures } = await runFiles({ seed, from: 0, count: files, readers: READERS })
  report.findings.push(...findings)
  report.outcomes = outcomes
  Object.assign(report.figures, figures)
  onProgress?.(`${files} files, ${report.findings.length} findings`)
}

async function fuzzImports(stage: ProcessStage, options: RunOptions, report: Report): Promise<void> {
  const { seed, imports, onProgress } = options
  const sheets = watchSheets(stage.worker.pid)
  const before = await stage.measure()
  const part = await runRequests({
    stage,
    seed,
    from: 0,
    count: imports,
    clients: IMPORTERS,
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
    number: BOOKINGS,
  })
  const client = new Client(stage.url, token)
  const before = await stage.measure()
  const parts = await Promise.all([
    runConnections(client, trialsOf(client, LONG, STREAM_IDLE_MS)),
    runConnections(client, slowWritersOf(client)),
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
