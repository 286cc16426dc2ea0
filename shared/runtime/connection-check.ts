// Checks at start-up whether Postgres and Redis let the process in with its settings. If one is down, the
// process waits; one that has refused it for a minute will go on refusing, so a process that could never work
// ends and logs why.
import { setTimeout as wait } from 'node:timers/promises'
import { connectPool } from '../database/database.ts'
import { explainConnectionFault } from '../database/faults.ts'
import type { RedisSettings } from '../redis/address.ts'
import { findRedisServers, readFacts } from '../redis/servers.ts'
import type { Config } from '../settings/config.ts'
import type { Log } from '../utilities/log.ts'

type RedisConfig = RedisSettings & Pick<Config, 'redisPrefix'>
export type Address = { setting: string } & (
  | { server: 'Postgres'; url: string }
  | { server: 'Redis'; redis: RedisConfig }
)
type Limits = { everyMs: number; limitMs: number }

const LIMITS: Limits = { everyMs: 5_000, limitMs: 60_000 }
const REDIS_ANSWER_MS_MAX = 2_000

type Settings = Pick<Config, 'databaseUrl' | 'gatewayDatabaseUrl'> & RedisConfig

/**
 * Only what the process cannot work without: if a replica refuses it, reads go to the primary, and the log
 * says so.
 */
export function addressesOf(settings: Settings, processKind: 'gateway' | 'worker'): Address[] {
  const { databaseUrl, gatewayDatabaseUrl } = settings
  const written: Address =
    processKind === 'gateway' && gatewayDatabaseUrl
      ? { setting: 'GATEWAY_DATABASE_URL', server: 'Postgres', url: gatewayDatabaseUrl }
      : { setting: 'DATABASE_URL', server: 'Postgres', url: databaseUrl }
  return [written, { setting: 'REDIS_URL', server: 'Redis', redis: settings }]
}

/**
 * Resolves with the reason if one of the addresses has refused the process for `limitMs`, otherwise never.
 */
export function findPermanentRefusal(addresses: Address[], log: Log, limits = LIMITS): Promise<Error> {
  return Promise.race(addresses.map((address) => waitForRefusal(address, log, limits)))
}

async function waitForRefusal(address: Address, log: Log, { everyMs, limitMs }: Limits): Promise<Error> {
  let sinceMs: number | undefined
  for (;;) {
    const error = await tryOnce(address)
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

function tryOnce(address: Address): Promise<Error | undefined> {
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
  await Promise.all(servers.map((server) => server.ask((redis) => readFacts(redis, settings))))
}
