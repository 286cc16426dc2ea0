// Runs one load on one target: rates, times, and the CPU microseconds per answer of each process group.
// Targets alternate, so that other work on the machine affects all alike; medians count.
import { setTimeout as sleep } from 'node:timers/promises'
import { noteFailures } from './figures.ts'
import type { Work } from './load/work.ts'
import { quantile } from './measure.ts'
import type { Scenario } from './parts/scenarios.ts'
import type { Lengths, Runner } from './runner.ts'
import { cpuUsOf } from './stage/process-table.ts'
import { GROUPS, type GroupName, type Target } from './stage/targets.ts'

export type Measured = {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Microseconds per answer. */
  cpuUs: Record<GroupName, number>
  /** CPU time of all process groups together. */
  totalCpuUs: number
  loaderCpuUs: number
}

export type Limits = { seconds: number; requestsMax?: number }

// Includes work that follows an answer, such as finishing the job and logging.
const SETTLE_MS = 100
// Long enough for scenarios that end when all their requests are sent.
const SECONDS_MAX = 120

/** A load of so many requests is sent by our own load generator: wrk would send some more. */
export async function measure(
  runner: Runner,
  target: Target,
  scenario: Scenario,
  limits: Limits,
): Promise<Measured> {
  const work = await workOf(target, scenario, limits)
  const loader = (scenario.withWrk && limits.requestsMax === undefined && runner.wrk) || runner.loader
  const before = readCpu(target)
  const loaded = await loader.run(work)
  await sleep(SETTLE_MS)
  const after = readCpu(target)
  if (work.bookings) target.company.nextSlot += loaded.sent
  const failures = Object.entries(loaded.failures).filter(([reason]) => !scenario.expected?.includes(reason))
  noteFailures(runner, `${target.name}, ${scenario.name}`, Object.fromEntries(failures))
  const cpuUs = mapGroups((group) => (after[group] - before[group]) / loaded.answered)
  return {
    perSecond: loaded.answered / loaded.seconds,
    p50Ms: loaded.p50Ms,
    p99Ms: loaded.p99Ms,
    cpuUs,
    totalCpuUs: GROUPS.reduce((sum, group) => sum + cpuUs[group], 0),
    loaderCpuUs: loaded.loaderCpuUs / loaded.answered,
  }
}

/** By scenario and target name, one entry per round. */
export type Results = Map<Scenario, Map<string, Measured[]>>

export async function alternateLoads(
  runner: Runner,
  scenarios: readonly Scenario[],
  targetsOf: (scenario: Scenario) => Target[],
  { rounds, seconds }: Lengths,
): Promise<Results> {
  const results: Results = new Map(
    scenarios.map((scenario) => {
      const byTarget = targetsOf(scenario).map(({ name }) => [name, [] as Measured[]] as const)
      return [scenario, new Map(byTarget)]
    }),
  )
  // The first round warms up and does not count.
  for (let round = -1; round < rounds; round++) {
    for (const [scenario, byTarget] of results) {
      // A load at a given rate runs for a minute.
      if (scenario.perSecond && round !== 0) continue
      const targets = targetsOf(scenario)
      // Each target starts a round in turn.
      for (let index = 0; index < targets.length; index++) {
        const target = targets[(index + round + 1) % targets.length] as Target
        const limits = { seconds: seconds * (scenario.lasts ?? 1) }
        const measured = await measure(runner, target, scenario, limits)
        if (round >= 0) byTarget.get(target.name)?.push(measured)
      }
    }
  }
  return results
}

/**
 * The median of each round's ratio: within a round, both were measured within seconds, while from round to
 * round a shared machine may be three times as fast.
 */
export function ratioOf(own: Measured[], other: Measured[], read: (each: Measured) => number): number {
  return quantile(
    own.map((each, round) => read(each) / read(other[round] ?? each)),
    0.5,
  )
}

export function medianOf(results: Measured[]): Measured {
  const median = (read: (each: Measured) => number) => quantile(results.map(read), 0.5)
  return {
    perSecond: median((each) => each.perSecond),
    p50Ms: median((each) => each.p50Ms),
    p99Ms: median((each) => each.p99Ms),
    cpuUs: mapGroups((group) => median((each) => each.cpuUs[group])),
    totalCpuUs: median((each) => each.totalCpuUs),
    loaderCpuUs: median((each) => each.loaderCpuUs),
  }
}

async function workOf(target: Target, scenario: Scenario, limits: Limits): Promise<Work> {
  const { url, company, headers = { Authorization: `Bearer ${company.token}` } } = target
  const requests = await scenario.requests(target)
  return {
    url,
    headers,
    connections: scenario.connections,
    ...(scenario.once ? { seconds: SECONDS_MAX, requestsMax: requests.length } : limits),
    perSecond: scenario.perSecond,
    requests,
    bookings: scenario.books ? { office: company.office, firstSlot: company.nextSlot } : undefined,
  }
}

const readCpu = ({ pids }: Target) => mapGroups((group) => cpuUsOf(pids[group]))

const mapGroups = <Value>(value: (group: GroupName) => Value) =>
  Object.fromEntries(GROUPS.map((group) => [group, value(group)])) as Record<GroupName, Value>
