// Checks at start-up whether Postgres and Redis accept the process with its settings. If one of them is down,
// the process waits for it. If one of them refuses the process for a minute, waiting longer does not help, so
// the process logs the reason and exits.
import { setTimeout as wait } from 'node:timers/promises'
import { connectPool } from '../database/database.ts'
import { explainConnectionFault } from '../database/faults.ts'
import type { RedisSettings } from '../redis/address.ts'
import { findRedisServers, readRedisFacts } from '../redis/servers.ts'
import type { Config } from '../settings/config.ts'
import type { Log } from '../utilities/log.ts'

type RedisConfig = RedisSettings & Pick<Config, 'redisPrefix'>
export type ServerAddress = { setting: string } & (
  | { server: 'Postgres'; url: string }
  | { server: 'Redis'; redis: RedisConfig }
)
type CheckLimits = { everyMs: number; limitMs: number }

const CHECK_LIMITS: CheckLimits = { everyMs: 5_000, limitMs: 60_000 }
const REDIS_ANSWER_MS_MAX = 2_000

type ConnectionCheckSettings = Pick<Config, 'databaseUrl' | 'gatewayDatabaseUrl'> & RedisConfig

/**
 * Returns only the addresses that the process cannot work without. If a read replica refuses the process, the process
 * reads from the primary instead, and logs that.
 */
export function listRequiredAddresses(
  settings: ConnectionCheckSettings,
  processKind: 'gateway' | 'worker',
): ServerAddress[] {
  const { databaseUrl, gatewayDatabaseUrl } = settings
  const written: ServerAddress =
    processKind === 'gateway' && gatewayDatabaseUrl
      ? { setting: 'GATEWAY_DATABASE_URL', server: 'Postgres', url: gatewayDatabaseUrl }
      : { setting: 'DATABASE_URL', server: 'Postgres', url: databaseUrl }
  return [written, { setting: 'REDIS_URL', server: 'Redis', redis: settings }]
}

/**
 * Resolves with the reason if one of these addresses has refused the process for `limitMs`, and otherwise never
 * resolves.
 */
export function findPermanentRefusal(
  addresses: ServerAddress[],
  log: Log,
  limits = CHECK_LIMITS,
): Promise<Error> {
  return Promise.race(addresses.map((address) => waitForRefusal(address, log, limits)))
}

async function waitForRefusal(
  address: ServerAddress,
  log: Log,
  { everyMs, limitMs }: CheckLimits,
): Promise<Error> {
  let sinceMs: number | undefined
  for (;;) {
    const error = await tryConnection(address)
    if (!error) return new Promise(() => undefined)
    const reason = explainConnectionFault(error)
    if (reason === undefined) sinceMs = undefined
    else {
      const sentence = `${address.server} ${reason}: ${error.message}. See ${address.setting}`
      if (sinceMs === undefined) log.error(`${sentence}; the process exits unless this is fixed in time`)
      sinceMs ??= performance.now()
      if (performance.now() - sinceMs >= limitMs) return new Error(sentence, { cause: error })
    }
    await wait(everyMs, undefined, { ref: false })
  }
}

function tryConnection(address: ServerAddress): Promise<Error | undefined> {
  const tried = address.server === 'Postgres' ? tryPostgres(address.url) : tryRedis(address.redis)
  return tried.then(
    () => undefined,
    (error) => (error instanceof Error ? error : new Error(String(error))),
  )
}

async function tryPostgres(url: string): Promise<void> {
  const pool = connectPool(url, { applicationName: 'berth-start', connectionsMax: 1, queryTimeoutMs: 2_000 })
  try {
    await pool.query('SELECT 1')
  } finally {
    await pool.end()
  }
}

async function tryRedis(settings: RedisConfig): Promise<void> {
  const { servers } = await findRedisServers(settings, REDIS_ANSWER_MS_MAX)
  await Promise.all(servers.map((server) => server.ask((redis) => readRedisFacts(redis, settings))))
}
