// Compares the rates, times and CPU use of a target with those of other targets, and checks the goals of each
// scenario.
import { type Goal, recordFigure } from '../figures.ts'
import { formatMs, printTable } from '../measure.ts'
import { alternateLoads, computeMedian, computeMedianRatio, type Measurement } from '../measure-load.ts'
import type { RunLength, Runner } from '../runner.ts'
import type { Target } from '../stage/targets.ts'
import type { Scenario } from './scenarios.ts'

/** The name of the target that runs an older checkout of Berth. If this target exists, every scenario is
 * compared with it. */
export const OLDER_CHECKOUT_NAME = 'before'

export async function compareScenarios(
  runner: Runner,
  scenarios: readonly Scenario[],
  own: Target,
  others: readonly Target[],
  lengths: RunLength,
): Promise<void> {
  const targetsOf = ({ rivals }: Scenario) => [
    own,
    ...others.filter(({ name }) => name === OLDER_CHECKOUT_NAME || rivals.includes(name)),
  ]
  const results = await alternateLoads(runner, scenarios, targetsOf, lengths)
  const rows = [...results].map(([scenario, byTarget]) => {
    const rounds = byTarget.get(own.name) ?? []
    return { scenario, own: computeMedian(rounds), rounds, others: byTarget }
  })
  const columns = others.map(({ name }) => name).filter((name) => rows.some((row) => row.others.has(name)))
  printRates(runner, own.name, rows, columns)
  printCpu(runner, own.name, rows, columns)
}

type ComparisonRow = {
  scenario: Scenario
  own: Measurement
  rounds: Measurement[]
  others: Map<string, Measurement[]>
}

function printRates(runner: Runner, ownName: string, rows: ComparisonRow[], columns: string[]): void {
  printTable(
    ['a second, times', ownName, 'p50 ms', 'p99 ms', ...columns.map((name) => `of ${name}`)],
    rows.map(({ scenario, own, rounds, others }) => [
      scenario.name,
      formatRate(own.perSecond) +
        formatGoal(
          runner,
          `${scenario.name}: a second`,
          own.perSecond,
          createMinimumGoal(scenario.goals.perSecond),
        ),
      formatMs(own.p50Ms) + formatTimeGoal(runner, scenario, 'p50Ms', own),
      formatMs(own.p99Ms) + formatTimeGoal(runner, scenario, 'p99Ms', own),
      ...columns.map((name) => {
        const all = others.get(name)
        if (!all) return ''
        const other = computeMedian(all)
        const ratio = computeMedianRatio(rounds, all, (each) => each.perSecond)
        const p50 = computeMedianRatio(rounds, all, (each) => each.p50Ms)
        const { goals } = scenario
        const rateGoal = formatGoal(
          runner,
          `${scenario.name}: rate of ${name}’s`,
          ratio,
          createMinimumGoal(goals.rate?.[name]),
        )
        const p50Goal = formatGoal(
          runner,
          `${scenario.name}: p50, times ${name}’s`,
          p50,
          createMaximumGoal(goals.p50?.[name]),
        )
        return `**${ratio.toFixed(2)}**${rateGoal} (${formatRate(other.perSecond)}, p50 ${formatMs(other.p50Ms)}${p50Goal})`
      }),
    ]),
  )
}

function printCpu(runner: Runner, ownName: string, rows: ComparisonRow[], columns: string[]): void {
  printTable(
    [
      `CPU of ${ownName}, µs an answer`,
      'gateway',
      'worker',
      'Postgres',
      'Redis',
      'all',
      ...columns.map((name) => `times ${name}`),
      'load generator',
    ],
    rows.map(({ scenario, own, rounds, others }) => [
      scenario.name,
      ...formatCpuCells(own),
      ...columns.map((name) => {
        const all = others.get(name)
        if (!all) return ''
        const times = computeMedianRatio(rounds, all, (each) => each.totalCpuUs)
        const parts = formatCpuCells(computeMedian(all))
          .slice(0, -1)
          .filter((cell) => cell !== '0')
        const goal = formatGoal(
          runner,
          `${scenario.name}: CPU, times ${name}’s`,
          times,
          createMaximumGoal(scenario.goals.cpu?.[name]),
        )
        return `**${times.toFixed(2)}**${goal} (${parts.join(' + ')})`
      }),
      formatUs(own.loaderCpuUs),
    ]),
  )
}

const formatCpuCells = ({ cpuUs, totalCpuUs }: Measurement): string[] => [
  formatUs(cpuUs.gateway),
  formatUs(cpuUs.worker),
  formatUs(cpuUs.Postgres),
  formatUs(cpuUs.Redis),
  formatUs(totalCpuUs),
]

const formatRate = (value: number): string => value.toFixed(value < 10 ? 1 : 0)
const formatUs = (value: number): string => (Number.isFinite(value) ? value.toFixed(0) : '–')

const createMaximumGoal = (limit: number | undefined): Goal | undefined =>
  limit === undefined ? undefined : { most: limit }
const createMinimumGoal = (limit: number | undefined): Goal | undefined =>
  limit === undefined ? undefined : { least: limit }

function formatTimeGoal(
  runner: Runner,
  scenario: Scenario,
  time: 'p50Ms' | 'p99Ms',
  own: Measurement,
): string {
  const what = `${scenario.name}: ${time.slice(0, 3)}, ms`
  return formatGoal(runner, what, own[time], createMaximumGoal(scenario.goals[time]))
}

function formatGoal(runner: Runner, what: string, value: number, goal: Goal | undefined): string {
  return goal ? `, goal ${recordFigure(runner, what, value, goal)}` : ''
}
