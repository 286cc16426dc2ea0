// The figures of a run that have a goal, and the answers other than 2xx. The run ends with both.
import { printTable } from './measure.ts'

/** `most`: the figure is to be at most this; otherwise at least this. */
export type Goal = { most: number } | { least: number }

export type Figure = { what: string; value: number; goal: Goal }

export type Findings = {
  figures: Figure[]
  /** The number of answers other than 2xx, by target, scenario and reason. */
  failures: Map<string, number>
}

export const noFindings = (): Findings => ({ figures: [], failures: new Map() })

/** Keeps a figure for the end of the run; returns the words for its goal. */
export function noteFigure({ figures }: Findings, what: string, value: number, goal: Goal): string {
  figures.push({ what, value, goal })
  return wordsOf(goal)
}

export function noteFailures({ failures }: Findings, what: string, found: Record<string, number>): void {
  for (const [reason, number] of Object.entries(found)) {
    const key = `${what}: ${reason}`
    failures.set(key, (failures.get(key) ?? 0) + number)
  }
}

/** A benchmark with failed requests has measured something else, so they fail the run; missed goals do not. */
export function printFindings({ figures, failures }: Findings): void {
  const met = figures.filter(isMet).length
  printTable(
    [`${met} of ${figures.length} goals are met`, 'goal', 'measured', ''],
    figures.map((figure) => [
      figure.what,
      wordsOf(figure.goal),
      shortOf(figure.value),
      isMet(figure) ? 'met' : '**missed**',
    ]),
  )
  if (failures.size === 0) {
    console.log('\nEvery request was answered with 2xx.')
    return
  }
  console.log('\nFAILED:')
  for (const [what, number] of failures) console.log(`  ${number} times: ${what}`)
  process.exitCode = 1
}

export const isMet = ({ value, goal }: Figure): boolean =>
  'most' in goal ? value <= goal.most : value >= goal.least

const wordsOf = (goal: Goal): string => ('most' in goal ? `at most ${goal.most}` : `at least ${goal.least}`)

/** Not rounded to a goal that it misses: two digits after the point below 10. */
const shortOf = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
