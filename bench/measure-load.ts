// Runs one load on one target: rates, times, and the CPU microseconds per answer of each process group.
// Targets alternate, so that other work on the machine affects all alike; medians count.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Loader } from './load/load.ts'
import type { Loaded, Work } from './load/work.ts'
import { quantile } from './measure.ts'
import type { Scenario } from './parts/scenarios.ts'
import { cpuUsOf } from './stage/process-table.ts'
import { GROUPS, type GroupName, type Target } from './stage/targets.ts'

export type Measured = {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Microseconds per answer. */
  cpuUs: Record<GroupName, number>
  /** The sum of all groups. */
  totalCpuUs: number
  loaderCpuUs: number
}

export type Runner = {
  loader: Loader
  /** Answers other than 2xx, by target and scenario. */
  failures: Map<string, number>
}

export type Limits = { seconds: number; requestsMax?: number }

// Includes work that follows an answer, such as finishing the job and logging.
const SETTLE_MS = 100

export async function measure(
  runner: Runner,
  target: Target,
  scenario: Scenario,
  limits: Limits,
): Promise<Measured> {
  const work = workOf(target, scenario, limits)
  const { loader } = runner
  const before = readCpu(target)
  const loaderBefore = loader.cpuUs()
  const loaded = await loader.run(work)
  const loaderUs = loader.cpuUs() - loaderBefore
  await sleep(SETTLE_MS)
  const after = readCpu(target)
  if (work.bookings) target.company.nextSlot += loaded.sent
  noteFailures(runner, target, scenario, loaded)
  const cpuUs = mapGroups((group) => (after[group] - before[group]) / loaded.answered)
  return {
    perSecond: loaded.answered / loaded.seconds,
    p50Ms: loaded.p50Ms,
    p99Ms: loaded.p99Ms,
    cpuUs,
    totalCpuUs: GROUPS.reduce((sum, group) => sum + cpuUs[group], 0),
    loaderCpuUs: loaderUs / loaded.answered,
  }
}

/** By scenario and target name, one entry per round. */
export type Results = Map<Scenario, Map<string, Measured[]>>

export async function alternateLoads(
  runner: Runner,
  scenarios: Scenario[],
  targetsOf: (scenario: Scenario) => Target[],
  { rounds, seconds }: { rounds: number; seconds: number },
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

function workOf({ url, company }: Target, scenario: Scenario, limits: Limits): Work {
  const { seconds, requestsMax = Number.MAX_SAFE_INTEGER } = limits
  const { connections, books } = scenario
  return {
    url,
    token: company.token,
    connections,
    seconds,
    requestsMax,
    paths: scenario.paths(company),
    bookings: books ? { office: company.office, firstSlot: company.nextSlot } : undefined,
  }
}

function noteFailures({ failures }: Runner, target: Target, scenario: Scenario, loaded: Loaded): void {
  for (const [reason, number] of Object.entries(loaded.failures)) {
    const key = `${target.name}, ${scenario.name}: ${reason}`
    failures.set(key, (failures.get(key) ?? 0) + number)
  }
}

const readCpu = ({ pids }: Target) => mapGroups((group) => cpuUsOf(pids[group]))

const mapGroups = <Value>(value: (group: GroupName) => Value) =>
  Object.fromEntries(GROUPS.map((group) => [group, value(group)])) as Record<GroupName, Value>
