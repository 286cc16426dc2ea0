// The targets of benchmarks: the built Berth and its rivals. Each lists the processes that work for it.
import type { Company } from './company.ts'
import { benchFile, builtFile, type Script, startScript, startServingScript, waitUntil } from './scripts.ts'
import type { Servers } from './servers.ts'

export const RIVALS = ['bare', 'knex', 'direct'] as const
export type RivalName = (typeof RIVALS)[number]

/** The process groups of a target; child processes count with their parents. */
export const GROUPS = ['gateway', 'worker', 'Postgres', 'Redis'] as const
export type GroupName = (typeof GROUPS)[number]

export type Target = {
  name: string
  url: string
  company: Company
  databaseUrl: string
  /** Instead of its token. */
  headers?: Record<string, string>
  /** The process of a rival counts as its gateway. */
  pids: Record<GroupName, number[]>
  stop(): Promise<void>
}

type TargetOptions = {
  servers: Servers
  company: Company
  databaseUrl: string
  name: string
}

type BerthOptions = TargetOptions & {
  /** A separate Redis database. */
  redisUrl: string
  /** The workers' database address, if it differs. */
  workerDatabaseUrl?: string
  /** A checkout other than this one. */
  checkout?: string | undefined
  /** More settings for all its processes. */
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
      file: builtFile('workers/main.js', options.checkout),
      // One worker does the upkeep.
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
      file: builtFile('gateway/main.js', options.checkout),
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
      file: benchFile(`rivals/${rival}`),
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
