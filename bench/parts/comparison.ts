// Compares Berth with its rivals: rates, times and CPU of reads and bookings, with their goals.

import { ms, printTable } from '../measure.ts'
import {
  alternateLoads,
  type Measured,
  medianOf,
  type Results,
  type Runner,
  ratioOf,
} from '../measure-load.ts'
import { RIVALS, type RivalName, type Target } from '../stage/targets.ts'
import type { Scenario } from './scenarios.ts'

/** Berth from an older checkout. */
export const BEFORE = 'before' as const
export type OtherName = RivalName | typeof BEFORE

export type Lengths = { rounds: number; seconds: number }

export async function compare(
  runner: Runner,
  scenarios: Scenario[],
  berth: Target,
  others: Map<OtherName, Target>,
  lengths: Lengths,
): Promise<void> {
  const targetsOf = ({ rivals }: Scenario) => [
    berth,
    ...[...rivals, BEFORE].flatMap((name) => others.get(name) ?? []),
  ]
  const results = await alternateLoads(runner, scenarios, targetsOf, lengths)
  const columns = [...RIVALS, BEFORE].filter((name) => [...results.values()].some((each) => each.has(name)))
  printRates(results, columns)
  printCpu(results, columns)
}

type Row = { scenario: Scenario; own: Measured; rounds: Measured[]; others: Map<string, Measured[]> }

function rowsOf(results: Results): Row[] {
  return [...results].flatMap(([scenario, others]) => {
    const rounds = others.get('Berth')
    return rounds ? [{ scenario, own: medianOf(rounds), rounds, others }] : []
  })
}

function printRates(results: Results, columns: OtherName[]): void {
  printTable(
    ['a second, times', 'Berth', 'p50 ms', 'p99 ms', ...columns.map((name) => `of ${name}`)],
    rowsOf(results).map(({ scenario, own, rounds, others }) => [
      scenario.name,
      rate(own.perSecond),
      ms(own.p50Ms),
      ms(own.p99Ms),
      ...columns.map((name) => {
        const all = others.get(name)
        if (!all) return ''
        const other = medianOf(all)
        const ratio = ratioOf(rounds, all, (each) => each.perSecond).toFixed(2)
        return `**${ratio}**${goal(scenario.goals.rate, name, 'at least')} (${rate(other.perSecond)}, p50 ${ms(other.p50Ms)})`
      }),
    ]),
  )
}

function printCpu(results: Results, columns: OtherName[]): void {
  printTable(
    [
      'CPU, µs an answer',
      'gateway',
      'worker',
      'Postgres',
      'Redis',
      'all',
      ...columns.map((name) => `times ${name}`),
      'load generator',
    ],
    rowsOf(results).map(({ scenario, own, rounds, others }) => [
      scenario.name,
      ...cpuCells(own),
      ...columns.map((name) => {
        const all = others.get(name)
        if (!all) return ''
        const other = medianOf(all)
        const times = ratioOf(rounds, all, (each) => each.totalCpuUs).toFixed(2)
        const parts = cpuCells(other)
          .slice(0, -1)
          .filter((cell) => cell !== '0')
        return `**${times}**${goal(scenario.goals.cpu, name, 'at most')} (${parts.join(' + ')})`
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

export const rate = (value: number): string => value.toFixed(value < 10 ? 1 : 0)
export const us = (value: number): string => (Number.isFinite(value) ? value.toFixed(0) : '–')

function goal(goals: Partial<Record<OtherName, number>> | undefined, name: OtherName, words: string): string {
  const value = goals?.[name]
  return value === undefined ? '' : `, goal ${words} ${value}`
}
