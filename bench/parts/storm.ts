// Measures a storm of conflicts: many callers want the same twenty desks at once, so almost all of them are refused,
// while other callers book other desks.
import { type Goal, recordFigure } from '../figures.ts'
import { BOOKINGS_PATH, createBookingBody } from '../load/bookings.ts'
import { type Loader, startLoader } from '../load/load.ts'
import type { LoadRequest } from '../load/work.ts'
import { formatMs, printTable } from '../measure.ts'
import { computeMedian, computeMedianRatio, type Measurement, measureLoad } from '../measure-load.ts'
import type { RunLength, Runner } from '../runner.ts'
import type { Company } from '../stage/company.ts'
import { PROCESS_GROUPS, type Target } from '../stage/targets.ts'
import { createBookingScenario, type Scenario } from './scenarios.ts'

const DESK_COUNT = 20
const STORM_CALLER_COUNTS = [32, 128]
const OTHER_CALLER_COUNT = 32
const REQUEST_COUNT = 2_000
// Makes the load last longer than callers wait for an answer, so that the last answers count too.
const DURATION_FACTOR = 2
const GOALS = { rate: { least: 1 }, p50: { most: 1.5 } }

const NO_RESULTS: StormResults = { bookings: [], conflicts: [], calm: [], crowded: [], beside: [] }
type StormResults = Record<'bookings' | 'conflicts' | 'calm' | 'crowded' | 'beside', Measurement[]>

/** `others` are older checkouts of Berth, which are measured in turn with this one. */
export async function measureStorms(
  runner: Runner,
  berth: Target,
  others: readonly Target[],
  lengths: RunLength,
): Promise<void> {
  const beside = await startLoader()
  try {
    for (const callers of STORM_CALLER_COUNTS) {
      const targets = [berth, ...others]
      const found = await alternateStorms(runner, beside, callers, targets, lengths)
      for (const target of targets)
        printStormResults(runner, target.name, callers, found.get(target), target === berth)
    }
  } finally {
    await beside.stop()
  }
}

async function alternateStorms(
  runner: Runner,
  loaderBeside: Loader,
  callers: number,
  targets: Target[],
  { rounds, seconds }: RunLength,
): Promise<Map<Target, StormResults>> {
  const found = new Map(
    targets.map((target): [Target, StormResults] => [target, structuredClone(NO_RESULTS)]),
  )
  const limits = { seconds: seconds * DURATION_FACTOR }
  // The first round only warms up, and its results do not count.
  for (let round = -1; round < rounds; round++) {
    for (const [target, all] of found) {
      const measureOne = (scenario: Scenario) => measureLoad(runner, target, scenario, limits)
      const measured = {
        bookings: await measureOne(createBookingScenario(callers, {})),
        conflicts: await measureOne(createStormScenario(callers)),
        calm: await measureOne(createBookingScenario(OTHER_CALLER_COUNT, {})),
        crowded: await measureOne(createBookingScenario(callers + OTHER_CALLER_COUNT, {})),
        beside: await measureOtherCallers(
          { ...runner, loader: loaderBeside },
          measureOne(createStormScenario(callers)),
          target,
          limits,
        ),
      }
      if (round < 0) continue
      for (const [name, each] of Object.entries(measured)) all[name as keyof StormResults].push(each)
    }
  }
  return found
}

async function measureOtherCallers(
  runner: Runner,
  storming: Promise<Measurement>,
  target: Target,
  limits: { seconds: number },
): Promise<Measurement> {
  const [beside] = await Promise.all([
    measureLoad(runner, target, createBookingScenario(OTHER_CALLER_COUNT, {}), limits),
    storming,
  ])
  return beside
}

const createStormScenario = (callers: number): Scenario => ({
  name: `POST bookings of ${DESK_COUNT} taken desks, ${callers} at a time`,
  connections: callers,
  rivals: [],
  goals: {},
  requests: ({ company }) => createStormRequests(company),
  expected: ['409'],
})

/** The first callers book the desks; all others are refused. */
function createStormRequests(company: Company): LoadRequest[] {
  const { bookables, users } = company.office
  const [, location] = bookables[0] ?? []
  const desks = bookables.filter((each) => each[1] === location).slice(0, DESK_COUNT)
  const { length } = bookables
  // Uses the next hour, which nobody has booked yet.
  const slot = Math.ceil(company.nextSlot / length) * length
  company.nextSlot = slot + length
  return Array.from({ length: REQUEST_COUNT }, (_, index) => {
    const [bookable_id, location_id] = desks[index % desks.length] ?? []
    const asked = { bookable_id, location_id, user_id: users[index % users.length] }
    const body = { ...JSON.parse(createBookingBody(company.office, slot)), ...asked }
    return { method: 'POST', path: BOOKINGS_PATH, body: JSON.stringify(body) }
  })
}

function printStormResults(
  runner: Runner,
  name: string,
  callers: number,
  found: StormResults | undefined,
  hasGoals: boolean,
): void {
  if (!found) return
  const goal = (what: string, value: number, limit: Goal) =>
    hasGoals
      ? `, goal ${recordFigure(runner, `${callers} callers want ${DESK_COUNT} desks: ${what}`, value, limit)}`
      : ''
  const rate = computeMedianRatio(found.conflicts, found.bookings, ({ perSecond }) => perSecond)
  const p50Of = (other: Measurement[]) => computeMedianRatio(found.beside, other, ({ p50Ms }) => p50Ms)
  const timesOf = (what: string, other: Measurement[]) => {
    const times = p50Of(other)
    return `p50 **${times.toFixed(2)}** times ${what}${goal(`p50 of others, times ${what}`, times, GOALS.p50)}`
  }
  const rows: Array<[what: string, Measurement[], compared?: string]> = [
    [`POST bookings, ${callers} at a time`, found.bookings],
    [
      `${callers} callers want ${DESK_COUNT} desks`,
      found.conflicts,
      `**${rate.toFixed(2)}** of the rate of bookings${goal('rate, of that of bookings', rate, GOALS.rate)}`,
    ],
    [`${OTHER_CALLER_COUNT} callers book other desks`, found.calm],
    [`… beside ${callers} who book other desks too`, found.crowded],
    [
      '… beside the storm',
      found.beside,
      [timesOf('that alone', found.calm), timesOf('that beside as many bookings', found.crowded)].join('; '),
    ],
  ]
  printTable(
    [name, 'a second', 'p50 ms', 'p99 ms', `CPU, µs: ${PROCESS_GROUPS.join(' + ')}`, ''],
    rows.map(([what, all, compared = '']) => {
      const { perSecond, p50Ms, p99Ms, cpuUs } = computeMedian(all)
      const cpu = PROCESS_GROUPS.map((group) => cpuUs[group].toFixed(0)).join(' + ')
      return [what, perSecond.toFixed(0), formatMs(p50Ms), formatMs(p99Ms), cpu, compared]
    }),
  )
}
