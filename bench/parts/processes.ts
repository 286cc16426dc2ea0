// Measures the cost of several gateways and workers. The gateways share one address, and the system spreads the loader's
// connections over them.
import type { Lengths, Runner } from '../runner.ts'
import { redisUrlOf, type Servers } from '../stage/servers.ts'
import { startBerth, type Target } from '../stage/targets.ts'
import { compare } from './comparison.ts'
import { booking, type Goals } from './scenarios.ts'

// Of Redis: the numbers below and above are those of other parts.
const [FIRST_REDIS, CALLERS] = [2, [32, 128]]

const ARRANGEMENTS: ReadonlyArray<[processes: number, goals: Goals]> = [
  [2, { rate: { Berth: 1 } }],
  [4, { cpu: { Berth: 1.3 } }],
]

/** `berth` has one gateway and one worker. */
export async function compareProcesses(
  runner: Runner,
  servers: Servers,
  berth: Target,
  lengths: Lengths,
): Promise<void> {
  const { company, databaseUrl } = berth
  for (const [index, [processes, goals]] of ARRANGEMENTS.entries()) {
    const several = await startBerth({
      servers,
      company,
      databaseUrl,
      name: `${processes} + ${processes}`,
      redisUrl: redisUrlOf(servers, FIRST_REDIS + index),
      gateways: processes,
      workers: processes,
    })
    try {
      const scenarios = CALLERS.map((callers) => {
        const scenario = booking(callers, goals, 2)
        return { ...scenario, name: `${several.name}, ${scenario.name}`, rivals: [berth.name] }
      })
      await compare(runner, scenarios, several, [berth], lengths)
    } finally {
      await several.stop()
    }
  }
}
