// Measures what idle processes cost: a gateway, a worker's commands to Redis, and everything that `npm start` runs.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Goal, recordFigure } from '../figures.ts'
import { computeQuantile, printTable } from '../measure.ts'
import type { RunLength, Runner } from '../runner.ts'
import { openCommandCounter } from '../stage/command-counter.ts'
import { measureCpuUs, measureProportionalMb, measureResidentMb } from '../stage/process-table.ts'
import { getBuiltFile, startScript, startServingScript, waitUntil } from '../stage/scripts.ts'
import { getRedisUrl, type Servers } from '../stage/servers.ts'

const IDLE_MS = 3_000
// How long processes run before they are watched, so that caches are filled and code is compiled.
const SETTLE_MS = 15_000
const WATCH_MS = 20_000
// The number of the worker's Redis database.
const WORKER_REDIS_NUMBER = 8

type IdleFigures = Array<[what: string, value: number, goal?: Goal]>

export async function measureIdle(
  runner: Runner,
  servers: Servers,
  databaseUrl: string,
  { rounds }: Pick<RunLength, 'rounds'>,
): Promise<void> {
  const figures = [
    ...(await measureGateway(servers, databaseUrl, rounds)),
    ...(await measureWorker(servers, databaseUrl)),
    ...(await measureNpmStart(servers)),
  ]
  printTable(
    ['idle', 'measured', 'goal'],
    figures.map(([what, value, goal]) => [
      what,
      value.toFixed(value < 10 ? 2 : 0),
      goal ? recordFigure(runner, what, value, goal) : '',
    ]),
  )
}

async function measureGateway(servers: Servers, databaseUrl: string, rounds: number): Promise<IdleFigures> {
  const startMs: number[] = []
  const startCpuMs: number[] = []
  const idleMb: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now()
    const gateway = await startServingScript(
      {
        name: 'idle-gateway',
        file: getBuiltFile('gateway/main.js'),
        environment: { DATABASE_URL: databaseUrl, REDIS_URL: getRedisUrl(servers, 0) },
        directory: servers.directory,
      },
      '/healthz',
    )
    startMs.push(performance.now() - startedMs)
    startCpuMs.push(measureCpuUs([gateway.pid]) / 1_000)
    await sleep(IDLE_MS)
    idleMb.push(measureResidentMb(gateway.pid))
    await gateway.stop()
  }
  return [
    ['a gateway from its start to its first answer, ms', computeQuantile(startMs, 0.5), { most: 1_000 }],
    ['CPU of that, ms', computeQuantile(startCpuMs, 0.5)],
    ['a gateway, resident MB', computeQuantile(idleMb, 0.5), { most: 90 }],
  ]
}

async function measureWorker(servers: Servers, databaseUrl: string): Promise<IdleFigures> {
  const redisUrl = getRedisUrl(servers, WORKER_REDIS_NUMBER)
  const worker = startScript({
    name: 'idle-worker',
    file: getBuiltFile('workers/main.js'),
    parameters: ['writes', 'upkeep'],
    environment: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, LOG_LEVEL: 'info' },
    directory: servers.directory,
  })
  await waitUntil(worker, () => worker.log().includes('"msg":"working"'))
  await sleep(SETTLE_MS)
  const counter = await openCommandCounter(redisUrl)
  await sleep(WATCH_MS)
  const { sent, inScripts } = counter.read()
  counter.stop()
  await worker.stop()
  const aSecond = (number: number) => number / (WATCH_MS / 1_000)
  return [
    ['Redis commands of a worker, a second', aSecond(sent), { most: 5 }],
    ['… and in scripts', aSecond(inScripts)],
  ]
}

async function measureNpmStart(servers: Servers): Promise<IdleFigures> {
  const all = startScript({
    name: 'npm-start',
    file: getBuiltFile('local/main.js'),
    environment: { BERTH_DIR: join(servers.directory, 'npm-start'), PORT: '0' },
    directory: servers.directory,
  })
  await waitUntil(all, () => all.log().includes('Berth is ready'))
  await sleep(SETTLE_MS)
  const [usedUs, startedMs] = [measureCpuUs([all.pid]), performance.now()]
  await sleep(WATCH_MS)
  const percent = (measureCpuUs([all.pid]) - usedUs) / (performance.now() - startedMs) / 10
  const [memory, resident] = [measureProportionalMb(all.pid), measureResidentMb(all.pid)]
  await all.stop()
  return [
    ['all of npm start, MB (a page that several processes share counts once)', memory, { most: 350 }],
    ['… the sum of their resident MB', resident],
    ['all of npm start, % of a core', percent, { most: 2 }],
  ]
}
