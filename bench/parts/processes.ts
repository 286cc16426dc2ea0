// Measures how many more bookings several gateways and workers make, and how much more CPU they use. The gateways listen on one
// address, and the operating system spreads the load generator's connections over them. On an idle machine this part
// takes 14 minutes at most: ten for the loads, and up to half a minute for each arrangement to warm up.
import { measureLoad } from '../measure-load.ts'
import type { RunLength, Runner } from '../runner.ts'
import { getRedisUrl, type Servers } from '../stage/servers.ts'
import { startBerth, type Target } from '../stage/targets.ts'
import { compareScenarios } from './comparison.ts'
import { createBookingScenario, type Goals } from './scenarios.ts'

// The first Redis database number of this part. Other parts use lower and higher database numbers.
const FIRST_REDIS = 2

const ARRANGEMENTS: ReadonlyArray<[gateways: number, workers: number]> = [
  [2, 1],
  [1, 2],
  [2, 2],
  [4, 4],
]
const GOALS: ReadonlyArray<[callers: number, goals: Goals]> = [
  [64, { rate: { Berth: 0.95 }, cpu: { Berth: 1.3 } }],
  [256, { rate: { Berth: 1 }, cpu: { Berth: 1.3 } }],
]

// A process is warm once V8 has compiled the code that it runs. The rate then no longer rises: several loads in a row are not
// faster than an earlier load. A single load does not show this, because other programs may slow it down.
const WARM_UP_SECONDS = 2
const WARM_UP_LOADS_MAX = 15
const STABLE_LOADS = 3
const FASTER_SHARE = 0.05
const WARM_UP = createBookingScenario(64, {})

/** Compares several processes with `berth`, which has one gateway and one worker. All are warm. */
export async function compareProcesses(
  runner: Runner,
  servers: Servers,
  berth: Target,
  lengths: RunLength,
): Promise<void> {
  const { company, databaseUrl } = berth
  await warmUp(runner, berth)
  for (const [index, [gateways, workers]] of ARRANGEMENTS.entries()) {
    const several = await startBerth({
      servers,
      company,
      databaseUrl,
      name: `${gateways} + ${workers}`,
      redisUrl: getRedisUrl(servers, FIRST_REDIS + index),
      gateways,
      workers,
    })
    try {
      await warmUp(runner, several)
      const scenarios = GOALS.map(([callers, goals]) => {
        const scenario = createBookingScenario(callers, goals, 3)
        return { ...scenario, name: `${several.name}, ${scenario.name}`, rivals: [berth.name] }
      })
      await compareScenarios(runner, scenarios, several, [berth], lengths)
    } finally {
      await several.stop()
    }
  }
}

/** Sends bookings until the rate no longer rises. */
export async function warmUp(runner: Runner, target: Target): Promise<void> {
  let best = 0
  let loadsSinceBest = 0
  for (let loads = 0; loads < WARM_UP_LOADS_MAX && loadsSinceBest < STABLE_LOADS; loads++) {
    const { perSecond } = await measureLoad(runner, target, WARM_UP, { seconds: WARM_UP_SECONDS })
    loadsSinceBest++
    if (perSecond < best * (1 + FASTER_SHARE)) continue
    best = perSecond
    loadsSinceBest = 0
  }
}
