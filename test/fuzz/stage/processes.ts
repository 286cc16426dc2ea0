// Starts Berth in separate processes from a copy of dist/, whose memory use can be measured.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRedis } from '../../../local/redis/redis.ts'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { connectDatabase } from '../../../shared/database/database.ts'
import { copyDist, type Patch } from '../../harness/built-copy.ts'
import { PostgresServer } from '../../harness/postgres.ts'
import { type Child, startGatewayProcess, startWorkerProcess } from '../../support/processes.ts'
import { eventually } from '../../support/time.ts'
import type { Finding } from '../findings.ts'
import { createDictionary } from '../requests/dictionary.ts'
import { findErrors, type Stage } from './stage.ts'

export type MemoryUsage = { heapMb: number; rssMb: number; sockets: number }

export type ProcessStage = Stage & {
  gateway: Child
  worker: Child
  /** Measures memory after garbage collection. */
  measure(): Promise<{ gateway: MemoryUsage; worker: MemoryUsage }>
  close(): Promise<void>
}

export const STREAM_IDLE_MS = 2_000
const SETTINGS = {
  RATE_LIMIT_PER_MINUTE: '1000000000',
  FAILED_SIGN_INS_PER_MINUTE: '1000000',
  STREAM_IDLE_MS: String(STREAM_IDLE_MS),
  NODE_OPTIONS: `--expose-gc --import ${join(projectDirectory, 'test/fuzz/stage/collect-garbage.js')}`,
}
const QUEUES = ['writes', 'imports', 'exports', 'upkeep']
const MB = 1024 * 1024

export async function openProcessStage(patches: Patch[] = []): Promise<ProcessStage> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-fuzz-'))
  const [postgres, redis] = await Promise.all([
    PostgresServer.start(folder),
    startRedis({ directory: join(folder, 'redis') }),
  ])
  const databaseUrl = await postgres.createDatabase()
  const dist = copyDist(join(folder, 'built'), patches)
  const environment = { ...SETTINGS, DATABASE_URL: databaseUrl, REDIS_URL: redis.url }
  const [gateway, worker] = await Promise.all([
    startGatewayProcess(environment, dist),
    startWorkerProcess(environment, QUEUES, dist),
  ])
  const database = connectDatabase(databaseUrl)
  const processes = { gateway, worker }
  return {
    url: gateway.url,
    database,
    dictionary: await createDictionary(database, gateway.url),
    ...processes,
    takeErrors: watchProcesses(processes),
    measure: async () => ({ gateway: await measure(gateway), worker: await measure(worker) }),
    async close() {
      for (const { kill } of [gateway, worker]) kill('SIGKILL')
      await Promise.all([gateway.ended, worker.ended])
      await database.destroy()
      await Promise.all([postgres.stop(), redis.stop()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function watchProcesses(processes: Record<string, Child>): () => Finding[] {
  const ended: Finding[] = []
  for (const [name, child] of Object.entries(processes))
    child.ended.then((end) => ended.push({ promise: 'no process ends', what: `the ${name}: ${end}` }))
  return () => {
    const lines = Object.values(processes).flatMap(({ lines }) => lines.splice(0))
    return [...ended.splice(0), ...findErrors(lines)]
  }
}

async function measure({ lines, kill }: Child): Promise<MemoryUsage> {
  kill('SIGUSR2')
  const line = await eventually(() => {
    const at = lines.findIndex(({ msg }) => msg === 'memory')
    const [found] = at < 0 ? [] : lines.splice(at, 1)
    if (!found) throw new Error('It has not measured yet')
    return found
  })
  const figure = (name: string) => Math.round((Number(line[name]) / MB) * 10) / 10
  return { heapMb: figure('heapBytes'), rssMb: figure('rssBytes'), sockets: Number(line.sockets) }
}
