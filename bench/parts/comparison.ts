// Compares a target with others: rates, times and CPU, with the goals of each scenario.
import { type Goal, noteFigure } from '../figures.ts'
import { ms, printTable } from '../measure.ts'
import { alternateLoads, type Measured, medianOf, ratioOf } from '../measure-load.ts'
import type { Lengths, Runner } from '../runner.ts'
import type { Target } from '../stage/targets.ts'
import type { Scenario } from './scenarios.ts'

/** Berth from an older checkout: compared with in every scenario, if it is there. */
export const BEFORE = 'before'

export async function compare(
  runner: Runner,
  scenarios: readonly Scenario[],
  own: Target,
  others: readonly Target[],
  lengths: Lengths,
): Promise<void> {
  const targetsOf = ({ rivals }: Scenario) => [
    own,
    ...others.filter(({ name }) => name === BEFORE || rivals.includes(name)),
  ]
  const results = await alternateLoads(runner, scenarios, targetsOf, lengths)
  const rows = [...results].map(([scenario, byTarget]) => {
    const rounds = byTarget.get(own.name) ?? []
    return { scenario, own: medianOf(rounds), rounds, others: byTarget }
  })
  const columns = others.map(({ name }) => name).filter((name) => rows.some((row) => row.others.has(name)))
  printRates(runner, own.name, rows, columns)
  printCpu(runner, own.name, rows, columns)
}

type Row = { scenario: Scenario; own: Measured; rounds: Measured[]; others: Map<string, Measured[]> }

function printRates(runner: Runner, ownName: string, rows: Row[], columns: string[]): void {
  printTable(
    ['a second, times', ownName, 'p50 ms', 'p99 ms', ...columns.map((name) => `of ${name}`)],
    rows.map(({ scenario, own, rounds, others }) => [
      scenario.name,
      rate(own.perSecond) +
        goalOf(runner, `${scenario.name}: a second`, own.perSecond, least(scenario.goals.perSecond)),
      ms(own.p50Ms) + absoluteGoal(runner, scenario, 'p50Ms', own),
      ms(own.p99Ms) + absoluteGoal(runner, scenario, 'p99Ms', own),
      ...columns.map((name) => {
        const all = others.get(name)
        if (!all) return ''
        const other = medianOf(all)
        const ratio = ratioOf(rounds, all, (each) => each.perSecond)
        const p50 = ratioOf(rounds, all, (each) => each.p50Ms)
        const { goals } = scenario
        const rateGoal = goalOf(
          runner,
          `${scenario.name}: rate of ${name}’s`,
          ratio,
          least(goals.rate?.[name]),
        )
        const p50Goal = goalOf(runner, `${scenario.name}: p50, times ${name}’s`, p50, most(goals.p50?.[name]))
        return `**${ratio.toFixed(2)}**${rateGoal} (${rate(other.perSecond)}, p50 ${ms(other.p50Ms)}${p50Goal})`
      }),
    ]),
  )
}

function printCpu(runner: Runner, ownName: string, rows: Row[], columns: string[]): void {
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
      ...cpuCells(own),
      ...columns.map((name) => {
        const all = others.get(name)
        if (!all) return ''
        const times = ratioOf(rounds, all, (each) => each.totalCpuUs)
        const parts = cpuCells(medianOf(all))
          .slice(0, -1)
          .filter((cell) => cell !== '0')
        const goal = goalOf(
          runner,
          `${scenario.name}: CPU, times ${name}’s`,
          times,
          most(scenario.goals.cpu?.[name]),
        )
        return `**${times.toFixed(2)}**${goal} (${parts.join(' + ')})`
      }),
      us(own.loaderCpuUs),
    ]),
  )
}

const cpuCells = ({ cpuUs, totalCpuUs }: Measured): string[] => [
  us(cpuUs.gateway),
  us(cpuUs.worker),
  us(cpuUs.Postgres),
  us(cpuUs.Redis),
  us(totalCpuUs),
]

const rate = (value: number): string => value.toFixed(value < 10 ? 1 : 0)
const us = (value: number): string => (Number.isFinite(value) ? value.toFixed(0) : '–')

const most = (limit: number | undefined): Goal | undefined =>
  limit === undefined ? undefined : { most: limit }
const least = (limit: number | undefined): Goal | undefined =>
  limit === undefined ? undefined : { least: limit }

function absoluteGoal(runner: Runner, scenario: Scenario, time: 'p50Ms' | 'p99Ms', own: Measured): string {
  const what = `${scenario.name}: ${time.slice(0, 3)}, ms`
  return goalOf(runner, what, own[time], most(scenario.goals[time]))
}

function goalOf(runner: Runner, what: string, value: number, goal: Goal | undefined): string {
  return goal ? `, goal ${noteFigure(runner, what, value, goal)}` : ''
}
