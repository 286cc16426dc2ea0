// Formats the report of a run: its figures, and every finding.
import { describeFindings, formatTable } from '../harness/findings.ts'
import { PROMISES, saveRequest } from './findings.ts'
import type { Report } from './run.ts'

const ROWS_SHOWN = 12

export function describeReport(report: Report, folder: string): string {
  const { findings, answers, measured, outcomes, figures } = report
  const rows = [...answers]
    .sort()
    .map(([operation, counts]): [string, string] => [operation, listCounts(counts)])
  const memory = sampleRows(measured).map(({ requests, gateway, worker }) => [
    requests,
    ...[gateway, worker].flatMap(({ heapMb, rssMb }) => [heapMb, rssMb]),
  ])
  return [
    ...(rows.length > 0 ? [formatTable(['generated from', 'answers'], rows)] : []),
    ...(memory.length > 0
      ? [
          formatTable(
            ['requests', 'gateway: heap, MB', 'in all, MB', 'worker: heap, MB', 'in all, MB'],
            memory,
          ),
        ]
      : []),
    ...(outcomes.size > 0 ? [formatTable(['spoiled file', 'times'], [...outcomes].sort())] : []),
    formatTable(['figure', ''], Object.entries(figures)),
    describeFindings(
      PROMISES,
      findings.map((finding) => saveRequest(finding, folder)),
    ),
  ].join('\n\n')
}

const sampleRows = <Row>(rows: Row[]): Row[] => {
  const step = Math.ceil(rows.length / ROWS_SHOWN)
  return rows.filter((_, at) => at % step === 0 || at === rows.length - 1)
}

const listCounts = (counts: Map<string, number>) =>
  [...counts]
    .sort()
    .map(([status, times]) => `${status}: ${times}`)
    .join(', ')
