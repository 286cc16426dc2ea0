// Sends generated requests over several connections simultaneously, and checks every answer.
import { setTimeout as wait } from 'node:timers/promises'
import { openApiOf } from '../../support/http/openapi.ts'
import type { Finding } from '../findings.ts'
import { judge, TRANSIENT_STATUSES } from '../judge.ts'
import type { Stage } from '../stage/stage.ts'
import { type Exchange, Sender } from '../wire/sender.ts'
import type { WireRequest } from './draft.ts'
import { createGenerator, createImportGenerator } from './generate.ts'
import { PATH_MUTATIONS } from './mutations.ts'

export type RequestsOptions = {
  stage: Stage
  seed: number
  /** The number of the first request, and the number of requests. */
  from: number
  count: number
  clients: number
  /** Sends only imports of corrupted files. */
  onlyImports?: boolean
}

export type RequestsReport = {
  findings: Finding[]
  /** For each operation, the number of answers with each status. */
  answers: Map<string, Map<string, number>>
  passed: number
}

const FINDINGS_MAX = 200
// A request that may belong to another operation than the one it was generated from says nothing about that one.
const OTHER_REQUESTS = 'a request with another path or method, or with broken bytes'
const REPEATS_MAX = 4
const REPEAT_AFTER_MS = 1_500

export async function runRequests(options: RequestsOptions): Promise<RequestsReport> {
  const { stage, seed, from, count, clients } = options
  const { document } = await openApiOf(stage.url)
  const create = options.onlyImports ? createImportGenerator : createGenerator
  const generate = create(seed, document, stage.dictionary)
  const report: RequestsReport = { findings: [], answers: new Map(), passed: 0 }
  let next = from

  const client = async () => {
    const sender = new Sender(stage.url)
    while (next < from + count && report.findings.length < FINDINGS_MAX) {
      const request = generate(next++)
      const exchange = await sendUntilDecided(sender, request, report)
      countAnswer(report, request, exchange)
      report.findings.push(...(await judge(stage.url, request, exchange)))
    }
    sender.close()
  }
  await Promise.all(Array.from({ length: clients }, client))
  report.findings.push(...stage.takeErrors())
  return report
}

/** Repeats a request that was refused temporarily. It must be answered soon, because nothing is broken in this run. */
export async function sendUntilDecided(
  sender: Sender,
  request: WireRequest,
  report: RequestsReport,
): Promise<Exchange> {
  const options = { isHead: /^HEAD /.test(request.bytes.toString('latin1', 0, 5)), isWhole: request.isWhole }
  let exchange = await sender.send(request.bytes, options)
  for (let repeat = 0; repeat < REPEATS_MAX && isPassing(exchange); repeat++) {
    report.passed++
    await wait(REPEAT_AFTER_MS)
    exchange = await sender.send(request.bytes, options)
  }
  return exchange
}

const isPassing = (exchange: Exchange) =>
  exchange.kind === 'answered' && TRANSIENT_STATUSES.includes(exchange.answer.status)

export function countAnswer(report: RequestsReport, request: WireRequest, exchange: Exchange): void {
  const isIntact = request.isWhole && !request.mutations.some((name) => name in PATH_MUTATIONS)
  const operation = isIntact ? request.operation : OTHER_REQUESTS
  const counts = report.answers.get(operation) ?? new Map<string, number>()
  const name = exchange.kind === 'answered' ? String(exchange.answer.status) : exchange.kind
  counts.set(name, (counts.get(name) ?? 0) + 1)
  report.answers.set(operation, counts)
}

/** Reports operations that never succeeded, because then nothing beyond the validation of fields was tested. */
export function findNeverSucceeded(
  { answers }: Pick<RequestsReport, 'answers'>,
  operations: string[],
): Finding[] {
  const isSuccess = (status: string) => /^2/.test(status)
  return operations
    .filter((operation) => ![...(answers.get(operation)?.keys() ?? [])].some(isSuccess))
    .map((what) => ({ promise: 'every operation succeeds at times', what }))
}
