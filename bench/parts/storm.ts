// A storm of conflicts: many callers want the same twenty desks at the same time, so almost all of them are refused, and
// other callers book other desks beside them.
import { type Goal, noteFigure } from '../figures.ts'
import { BOOKINGS_PATH, bookingBody } from '../load/bookings.ts'
import { type Loader, startLoader } from '../load/load.ts'
import type { Asked } from '../load/work.ts'
import { ms, printTable } from '../measure.ts'
import { type Measured, measure, medianOf, ratioOf } from '../measure-load.ts'
import type { Lengths, Runner } from '../runner.ts'
import type { Company } from '../stage/company.ts'
import { GROUPS, type Target } from '../stage/targets.ts'
import { booking, type Scenario } from './scenarios.ts'

const DESKS = 20
const STORMS = [32, 128]
const CALLERS_BESIDE = 32
const REQUESTS = 2_000
// Longer than callers wait, so that the last answers count too.
const LASTS = 2
const GOALS = { rate: { least: 1 }, p50: { most: 1.5 } }

const NONE: Found = { bookings: [], conflicts: [], calm: [], crowded: [], beside: [] }
type Found = Record<'bookings' | 'conflicts' | 'calm' | 'crowded' | 'beside', Measured[]>

/** `others` are older checkouts of Berth, measured in turn with this one. */
export async function measureStorms(
  runner: Runner,
  berth: Target,
  others: readonly Target[],
  lengths: Lengths,
): Promise<void> {
  const beside = await startLoader()
  try {
    for (const callers of STORMS) {
      const targets = [berth, ...others]
      const found = await alternate(runner, beside, callers, targets, lengths)
      for (const target of targets) print(runner, target.name, callers, found.get(target), target === berth)
    }
  } finally {
    await beside.stop()
  }
}

async function alternate(
  runner: Runner,
  loaderBeside: Loader,
  callers: number,
  targets: Target[],
  { rounds, seconds }: Lengths,
): Promise<Map<Target, Found>> {
  const found = new Map(targets.map((target): [Target, Found] => [target, structuredClone(NONE)]))
  const limits = { seconds: seconds * LASTS }
  // The first round warms up and does not count.
  for (let round = -1; round < rounds; round++) {
    for (const [target, all] of found) {
      const measureOne = (scenario: Scenario) => measure(runner, target, scenario, limits)
      const measured = {
        bookings: await measureOne(booking(callers, {})),
        conflicts: await measureOne(storm(callers)),
        calm: await measureOne(booking(CALLERS_BESIDE, {})),
        crowded: await measureOne(booking(callers + CALLERS_BESIDE, {})),
        beside: await measureBeside(
          { ...runner, loader: loaderBeside },
          measureOne(storm(callers)),
          target,
          limits,
        ),
      }
      if (round < 0) continue
      for (const [name, each] of Object.entries(measured)) all[name as keyof Found].push(each)
    }
  }
  return found
}

async function measureBeside(
  runner: Runner,
  storming: Promise<Measured>,
  target: Target,
  limits: { seconds: number },
): Promise<Measured> {
  const [beside] = await Promise.all([measure(runner, target, booking(CALLERS_BESIDE, {}), limits), storming])
  return beside
}

const storm = (callers: number): Scenario => ({
  name: `POST bookings of ${DESKS} taken desks, ${callers} at a time`,
  connections: callers,
  rivals: [],
  goals: {},
  requests: ({ company }) => requestsOf(company),
  expected: ['409'],
})

/** The first callers book the desks; all others are refused. */
function requestsOf(company: Company): Asked[] {
  const { bookables, users } = company.office
  const [, location] = bookables[0] ?? []
  const desks = bookables.filter((each) => each[1] === location).slice(0, DESKS)
  const { length } = bookables
  // Uses the next hour, which nobody has booked yet.
  const slot = Math.ceil(company.nextSlot / length) * length
  company.nextSlot = slot + length
  return Array.from({ length: REQUESTS }, (_, index) => {
    const [bookable_id, location_id] = desks[index % desks.length] ?? []
    const asked = { bookable_id, location_id, user_id: users[index % users.length] }
    const body = { ...JSON.parse(bookingBody(company.office, slot)), ...asked }
    return { method: 'POST', path: BOOKINGS_PATH, body: JSON.stringify(body) }
  })
}

function print(
  runner: Runner,
  name: string,
  callers: number,
  found: Found | undefined,
  hasGoals: boolean,
): void {
  if (!found) return
  const goal = (what: string, value: number, limit: Goal) =>
    hasGoals
      ? `, goal ${noteFigure(runner, `${callers} callers want ${DESKS} desks: ${what}`, value, limit)}`
      : ''
  const rate = ratioOf(found.conflicts, found.bookings, ({ perSecond }) => perSecond)
  const p50Of = (other: Measured[]) => ratioOf(found.beside, other, ({ p50Ms }) => p50Ms)
  const timesOf = (what: string, other: Measured[]) => {
    const times = p50Of(other)
    return `p50 **${times.toFixed(2)}** times ${what}${goal(`p50 of others, times ${what}`, times, GOALS.p50)}`
  }
  const rows: Array<[what: string, Measured[], compared?: string]> = [
    [`POST bookings, ${callers} at a time`, found.bookings],
    [
      `${callers} callers want ${DESKS} desks`,
      found.conflicts,
      `**${rate.toFixed(2)}** of the rate of bookings${goal('rate, of that of bookings', rate, GOALS.rate)}`,
    ],
    [`${CALLERS_BESIDE} callers book other desks`, found.calm],
    [`… beside ${callers} who book other desks too`, found.crowded],
    [
      '… beside the storm',
      found.beside,
      [timesOf('that alone', found.calm), timesOf('that beside as many bookings', found.crowded)].join('; '),
    ],
  ]
  printTable(
    [name, 'a second', 'p50 ms', 'p99 ms', `CPU, µs: ${GROUPS.join(' + ')}`, ''],
    rows.map(([what, all, compared = '']) => {
      const { perSecond, p50Ms, p99Ms, cpuUs } = medianOf(all)
      const cpu = GROUPS.map((group) => cpuUs[group].toFixed(0)).join(' + ')
      return [what, perSecond.toFixed(0), ms(p50Ms), ms(p99Ms), cpu, compared]
    }),
  )
}
