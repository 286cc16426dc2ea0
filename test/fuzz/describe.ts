// The report of a run: its figures, and every finding.
import { table } from '../chaos/table.ts'
import { describeFinding, PROMISES } from './findings.ts'
import type { Report } from './run.ts'

const SHOWN_OF_EACH = 5
const ROWS_SHOWN = 12

export function describeReport(report: Report, folder: string): string {
  const { findings, answers, measured, outcomes, figures } = report
  const rows = [...answers]
    .sort()
    .map(([operation, counts]): [string, string] => [operation, listCounts(counts)])
  const memory = thinOut(measured).map(({ requests, gateway, worker }) => [
    requests,
    ...[gateway, worker].flatMap(({ heapMb, rssMb }) => [heapMb, rssMb]),
  ])
  const shown = PROMISES.flatMap((promise) =>
    findings.filter((finding) => finding.promise === promise).slice(0, SHOWN_OF_EACH),
  )
  return [
    ...(rows.length > 0 ? [table(['generated from', 'answers'], rows)] : []),
    ...(memory.length > 0
      ? [table(['requests', 'gateway: heap, MB', 'in all, MB', 'worker: heap, MB', 'in all, MB'], memory)]
      : []),
    ...(outcomes.size > 0 ? [table(['spoiled file', 'times'], [...outcomes].sort())] : []),
    table(['figure', ''], Object.entries(figures)),
    table(
      ['broken promise', 'times'],
      PROMISES.map((promise) => [promise, findings.filter((finding) => finding.promise === promise).length]),
    ),
    ...shown.map((finding) => describeFinding(finding, folder)),
  ].join('\n\n')
}

const thinOut = <Row>(rows: Row[]): Row[] => {
  const step = Math.ceil(rows.length / ROWS_SHOWN)
  return rows.filter((_, at) => at % step === 0 || at === rows.length - 1)
}

const listCounts = (counts: Map<string, number>) =>
  [...counts]
    .sort()
    .map(([status, times]) => `${status}: ${times}`)
    .join(', ')
