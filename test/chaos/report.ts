// Formats the report of a run: its figures and every broken promise.
import { describeFindings, formatTable } from '../harness/findings.ts'
import { BROKEN_PROMISES, determineVerdict, type History } from './history.ts'
import type { KillMeasurement } from './kill.ts'
import type { Report } from './run.ts'

export function describeReport({ seed, tookMs, history, faults, kills, waits }: Report): string {
  const seconds = Math.round(tookMs / 1000)
  const tries = history.writes.reduce((sum, { tries }) => sum + tries.length, 0)
  return [
    `Seed ${seed}: ${history.writes.length} writes in ${tries} requests, ${history.decided} decided, in ${seconds} s.`,
    formatTable(['writes', ...VERDICTS], listKindRows(history)),
    formatTable(['answer', 'times'], countAnswers(history)),
    formatTable(['fault', 'times'], [...faults].sort(compareNames)),
    formatTable(['waitlist', 'times'], waits),
    ...(kills.length > 0 ? [formatTable(['after a worker’s kill', ''], listKillRows(kills))] : []),
    describeFindings(BROKEN_PROMISES, history.findings),
  ].join('\n\n')
}

const VERDICTS = ['done', 'refused', 'not executed', 'failed', 'unknown'] as const

function listKindRows({ writes }: History): Row[] {
  const kinds = new Map<string, Record<string, number>>()
  for (const write of writes) {
    const counts = kinds.get(write.kind) ?? {}
    const verdict = determineVerdict(write)
    counts[verdict] = (counts[verdict] ?? 0) + 1
    kinds.set(write.kind, counts)
  }
  return [...kinds]
    .sort(compareNames)
    .map(([kind, counts]) => [kind, ...VERDICTS.map((each) => counts[each] ?? 0)])
}

function listKillRows(kills: KillMeasurement[]): Row[] {
  const sorted = kills.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)
  const sum = (figure: 'waiting' | 'calledOff') => kills.reduce((total, kill) => total + kill[figure], 0)
  return [
    ['kills', kills.length],
    ['requests that waited', sum('waiting')],
    ['of these called off', sum('calledOff')],
    ['last answer, median ms', sorted[Math.floor(sorted.length / 2)] ?? 0],
    ['last answer, slowest ms', sorted.at(-1) ?? 0],
  ]
}

function countAnswers({ writes }: History): Row[] {
  const counts = new Map<string, number>()
  for (const { tries } of writes) {
    for (const { status, code, isReplay } of tries) {
      const name = [status || 'none', code, isReplay ? 'replayed' : undefined].filter(Boolean).join(' ')
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  return [...counts].sort(compareNames)
}

type Row = Array<string | number>

function compareNames([one]: [string, ...unknown[]], [other]: [string, ...unknown[]]): number {
  return one < other ? -1 : 1
}
