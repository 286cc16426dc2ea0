// Starts the targets of benchmarks: the built Berth and its rivals. Each target lists the processes that work
// for it.
import type { Company } from './company.ts'
import {
  getBenchFile,
  getBuiltFile,
  type Script,
  startScript,
  startServingScript,
  waitUntil,
} from './scripts.ts'
import type { Servers } from './servers.ts'

export const RIVALS = ['bare', 'knex', 'direct'] as const
export type RivalName = (typeof RIVALS)[number]

/** The process groups of a target; child processes count with their parents. */
export const PROCESS_GROUPS = ['gateway', 'worker', 'Postgres', 'Redis'] as const
export type ProcessGroupName = (typeof PROCESS_GROUPS)[number]

export type Target = {
  name: string
  url: string
  company: Company
  databaseUrl: string
  /** Headers that are sent instead of the company's token. */
  headers?: Record<string, string>
  /** The process ids by group. The process of a rival counts as its gateway. */
  pids: Record<ProcessGroupName, number[]>
  stop(): Promise<void>
}

type TargetOptions = {
  servers: Servers
  company: Company
  databaseUrl: string
  name: string
}

type BerthOptions = TargetOptions & {
  /** The URL of a separate Redis database for this target. */
  redisUrl: string
  /** The workers' database URL, if it differs from the gateway's. */
  workerDatabaseUrl?: string
  /** Another checkout of Berth to run instead of this one. */
  checkout?: string | undefined
  /** More environment variables for all processes of the target. */
  environment?: Record<string, string>
  gateways?: number
  workers?: number
}

export async function startBerth(options: BerthOptions): Promise<Target> {
  const { servers, company, databaseUrl, redisUrl, name, gateways = 1, workers = 1 } = options
  const { directory, postgresPid, redisPid } = servers
  const environment = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    LOG_LEVEL: 'info',
    ...options.environment,
  }
  const started: Script[] = []
  for (let number = 0; number < workers; number++) {
    const worker = startScript({
      name: `${name}-worker-${number}`,
      file: getBuiltFile('workers/main.js', options.checkout),
      // Only the first worker does the upkeep.
      parameters: number === 0 ? ['writes', 'upkeep'] : ['writes'],
      environment: { ...environment, DATABASE_URL: options.workerDatabaseUrl ?? databaseUrl },
      directory,
    })
    started.push(worker)
    await waitUntil(worker, () => worker.log().includes('"msg":"working"'))
  }
  const gateway = await startServingScript(
    {
      name: `${name}-gateway`,
      file: getBuiltFile('gateway/main.js', options.checkout),
      environment: { ...environment, WEB_CONCURRENCY: String(gateways) },
      directory,
    },
    '/healthz',
  )
  return {
    name,
    url: gateway.url,
    company,
    databaseUrl,
    pids: {
      gateway: [gateway.pid],
      worker: started.map(({ pid }) => pid),
      Postgres: [postgresPid],
      Redis: [redisPid],
    },
    async stop() {
      await gateway.stop()
      await Promise.all(started.map((each) => each.stop()))
    },
  }
}

export async function startRival(rival: RivalName, options: TargetOptions): Promise<Target> {
  const { servers, company, databaseUrl, name } = options
  const script = await startServingScript(
    {
      name,
      file: getBenchFile(`rivals/${rival}`),
      environment: { DATABASE_URL: databaseUrl },
      directory: servers.directory,
    },
    '/healthz',
  )
  return {
    name,
    url: script.url,
    company,
    databaseUrl,
    pids: { gateway: [script.pid], worker: [], Postgres: [servers.postgresPid], Redis: [] },
    stop: script.stop,
  }
}
