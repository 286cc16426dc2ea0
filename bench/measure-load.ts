// Runs one load on one target, and measures rates, times, and the CPU microseconds per response of each process group.
// Targets alternate, so that other work on the machine affects all of them alike; results are medians.
import { setTimeout as sleep } from 'node:timers/promises'
import { recordFailures } from './figures.ts'
import type { LoadSettings } from './load/work.ts'
import { computeQuantile } from './measure.ts'
import type { Scenario } from './parts/scenarios.ts'
import type { RunLength, Runner } from './runner.ts'
import { measureCpuUs } from './stage/process-table.ts'
import { PROCESS_GROUPS, type ProcessGroupName, type Target } from './stage/targets.ts'

export type Measurement = {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** CPU microseconds per response, by process group. */
  cpuUs: Record<ProcessGroupName, number>
  /** CPU time of all process groups together, per response. */
  totalCpuUs: number
  loaderCpuUs: number
}

export type LoadLimits = { seconds: number; requestsMax?: number }

// How long to wait before reading the CPU time, which then includes work after a response, such as finishing the job
// and logging.
const SETTLE_MS = 100
// The time limit of a load. It is long enough for scenarios that end only when all their requests are sent.
const LOAD_SECONDS_MAX = 120

/** Our own load generator sends loads with a fixed number of requests, because wrk would send a few more. */
export async function measureLoad(
  runner: Runner,
  target: Target,
  scenario: Scenario,
  limits: LoadLimits,
): Promise<Measurement> {
  const work = await createLoadSettings(target, scenario, limits)
  const loader = (scenario.withWrk && limits.requestsMax === undefined && runner.wrk) || runner.loader
  const before = readCpu(target)
  const loaded = await loader.run(work)
  await sleep(SETTLE_MS)
  const after = readCpu(target)
  if (work.bookings) target.company.nextSlot += loaded.sent
  const failures = Object.entries(loaded.failures).filter(([reason]) => !scenario.expected?.includes(reason))
  recordFailures(runner, `${target.name}, ${scenario.name}`, Object.fromEntries(failures))
  const cpuUs = mapProcessGroups((group) => (after[group] - before[group]) / loaded.answered)
  return {
    perSecond: loaded.answered / loaded.seconds,
    p50Ms: loaded.p50Ms,
    p99Ms: loaded.p99Ms,
    cpuUs,
    totalCpuUs: PROCESS_GROUPS.reduce((sum, group) => sum + cpuUs[group], 0),
    loaderCpuUs: loaded.loaderCpuUs / loaded.answered,
  }
}

/** Measurements by scenario name and target name, with one entry per round. */
export type MeasurementsByScenario = Map<Scenario, Map<string, Measurement[]>>

export async function alternateLoads(
  runner: Runner,
  scenarios: readonly Scenario[],
  targetsOf: (scenario: Scenario) => Target[],
  { rounds, seconds }: RunLength,
): Promise<MeasurementsByScenario> {
  const results: MeasurementsByScenario = new Map(
    scenarios.map((scenario) => {
      const byTarget = targetsOf(scenario).map(({ name }) => [name, [] as Measurement[]] as const)
      return [scenario, new Map(byTarget)]
    }),
  )
  // The first round warms up and does not count.
  for (let round = -1; round < rounds; round++) {
    for (const [scenario, byTarget] of results) {
      // A load at a given rate takes a minute, so it runs in only one round.
      if (scenario.perSecond && round !== 0) continue
      const targets = targetsOf(scenario)
      // Each target in turn goes first in a round.
      for (let index = 0; index < targets.length; index++) {
        const target = targets[(index + round + 1) % targets.length] as Target
        const limits = { seconds: seconds * (scenario.lasts ?? 1) }
        const measured = await measureLoad(runner, target, scenario, limits)
        if (round >= 0) byTarget.get(target.name)?.push(measured)
      }
    }
  }
  return results
}

/**
 * Returns the median of the rounds' ratios. Within a round, both targets are measured within seconds, while a shared
 * machine may be three times as fast in one round as in another.
 */
export function computeMedianRatio(
  own: Measurement[],
  other: Measurement[],
  read: (each: Measurement) => number,
): number {
  return computeQuantile(
    own.map((each, round) => read(each) / read(other[round] ?? each)),
    0.5,
  )
}

export function computeMedian(results: Measurement[]): Measurement {
  const median = (read: (each: Measurement) => number) => computeQuantile(results.map(read), 0.5)
  return {
    perSecond: median((each) => each.perSecond),
    p50Ms: median((each) => each.p50Ms),
    p99Ms: median((each) => each.p99Ms),
    cpuUs: mapProcessGroups((group) => median((each) => each.cpuUs[group])),
    totalCpuUs: median((each) => each.totalCpuUs),
    loaderCpuUs: median((each) => each.loaderCpuUs),
  }
}

async function createLoadSettings(
  target: Target,
  scenario: Scenario,
  limits: LoadLimits,
): Promise<LoadSettings> {
  const { url, company, headers = { Authorization: `Bearer ${company.token}` } } = target
  const requests = await scenario.requests(target)
  return {
    url,
    headers,
    connections: scenario.connections,
    ...(scenario.once ? { seconds: LOAD_SECONDS_MAX, requestsMax: requests.length } : limits),
    perSecond: scenario.perSecond,
    requests,
    bookings: scenario.books ? { office: company.office, firstSlot: company.nextSlot } : undefined,
  }
}

const readCpu = ({ pids }: Target) => mapProcessGroups((group) => measureCpuUs(pids[group]))

const mapProcessGroups = <Value>(value: (group: ProcessGroupName) => Value) =>
  Object.fromEntries(PROCESS_GROUPS.map((group) => [group, value(group)])) as Record<ProcessGroupName, Value>
