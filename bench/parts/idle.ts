// The cost of an idle gateway: the time until it answers, and its memory then.
import { setTimeout as sleep } from 'node:timers/promises'
import { ms, printTable, quantile } from '../measure.ts'
import type { Lengths } from '../runner.ts'
import { cpuUsOf, residentMb } from '../stage/process-table.ts'
import { builtFile, startServingScript } from '../stage/scripts.ts'
import { redisUrlOf, type Servers } from '../stage/servers.ts'

const GOALS = { startMs: 1_000, idleMb: 110 }
const IDLE_MS = 3_000

export async function measureIdle(
  servers: Servers,
  databaseUrl: string,
  { rounds }: Pick<Lengths, 'rounds'>,
): Promise<void> {
  const startMs: number[] = []
  const startCpuMs: number[] = []
  const idleMb: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now()
    const gateway = await startServingScript(
      {
        name: 'idle-gateway',
        file: builtFile('gateway/main.js'),
        environment: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrlOf(servers, 0) },
        directory: servers.directory,
      },
      '/healthz',
    )
    startMs.push(performance.now() - startedMs)
    startCpuMs.push(cpuUsOf([gateway.pid]) / 1_000)
    await sleep(IDLE_MS)
    idleMb.push(residentMb(gateway.pid))
    await gateway.stop()
  }
  printTable(
    ['a gateway', 'median', 'goal'],
    [
      ['from its start to its first answer, ms', ms(quantile(startMs, 0.5)), `at most ${GOALS.startMs}`],
      ['CPU of that, ms', ms(quantile(startCpuMs, 0.5)), ''],
      [
        `memory, idle for ${IDLE_MS / 1_000} s, MB`,
        quantile(idleMb, 0.5).toFixed(0),
        `at most ${GOALS.idleMb}`,
      ],
    ],
  )
}
