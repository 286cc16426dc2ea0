// The ledger of docs/reliability.md: what random runs on each commit have done, and what they found.
import { TALLIED } from '../harness/tally.ts'
import type { StepResult } from './night.ts'

const HEAD = `| commit | seeds | ${TALLIED.join(' | ')} |`

/** Returns the text of the document with the row of a commit added or replaced. */
export function updateLedger(text: string, commit: string, results: StepResult[]): string {
  const row = formatRow(commit, results)
  if (!row) return text
  const lines = text.split('\n')
  const head = lines.indexOf(HEAD)
  if (head < 0) throw new Error(`The document has no table that begins with “${HEAD}”`)
  // The line after the head has only dashes.
  const first = head + 2
  const length = lines.slice(first).findIndex((line) => !line.startsWith('|'))
  const rows = lines.slice(first, first + length)
  const known = rows.findIndex((line) => line.startsWith(`| ${commit} |`))
  if (known < 0) rows.push(row)
  else rows[known] = row
  return [...lines.slice(0, first), ...rows, ...lines.slice(first + length)].join('\n')
}

function formatRow(commit: string, results: StepResult[]): string | undefined {
  const counted = results.filter(({ tally }) => Object.keys(tally).length > 0)
  if (counted.length === 0) return undefined
  const seeds = [...new Set(counted.flatMap(({ seed }) => seed ?? []))].sort((one, other) => one - other)
  const sums = TALLIED.map((what) => counted.reduce((sum, { tally }) => sum + (tally[what] ?? 0), 0))
  const cells = [commit, formatSeeds(seeds), ...sums.map((sum) => sum.toLocaleString('en'))]
  return `| ${cells.join(' | ')} |`
}

const formatSeeds = (seeds: number[]) =>
  seeds.length > 1 ? `${seeds.at(0)} to ${seeds.at(-1)}` : String(seeds[0] ?? '')
