// Collects the results of a benchmark run: the figures that have a goal, and the responses with a status
// other than 2xx. The run prints both at its end.
import { printTable } from './measure.ts'

/** A figure meets its goal if it is at most `most`, or at least `least`. */
export type Goal = { most: number } | { least: number }

export type Figure = { what: string; value: number; goal: Goal }

export type Findings = {
  figures: Figure[]
  /** The number of responses with a status other than 2xx, by target, scenario and reason. */
  failures: Map<string, number>
}

export const createFindings = (): Findings => ({ figures: [], failures: new Map() })

/** Records a figure for the summary at the end of the run, and returns the figure's goal in words. */
export function recordFigure({ figures }: Findings, what: string, value: number, goal: Goal): string {
  figures.push({ what, value, goal })
  return describeGoal(goal)
}

export function recordFailures({ failures }: Findings, what: string, found: Record<string, number>): void {
  for (const [reason, number] of Object.entries(found)) {
    const key = `${what}: ${reason}`
    failures.set(key, (failures.get(key) ?? 0) + number)
  }
}

/** Failed requests fail the run, because the benchmark then measured something else. Missed goals do not fail it. */
export function printFindings({ figures, failures }: Findings): void {
  const met = figures.filter(isGoalMet).length
  printTable(
    [`${met} of ${figures.length} goals are met`, 'goal', 'measured', ''],
    figures.map((figure) => [
      figure.what,
      describeGoal(figure.goal),
      formatShortNumber(figure.value),
      isGoalMet(figure) ? 'met' : '**missed**',
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

export const isGoalMet = ({ value, goal }: Figure): boolean =>
  'most' in goal ? value <= goal.most : value >= goal.least

const describeGoal = (goal: Goal): string =>
  'most' in goal ? `at most ${goal.most}` : `at least ${goal.least}`

/** Shows two decimals below 10, so that rounding does not hide that a figure narrowly misses its goal. */
const formatShortNumber = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
