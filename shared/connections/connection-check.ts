// Looks, while a process begins, whether Postgres and Redis let it in as it is set up. What is away is waited for; what has
// refused us for a minute will go on, and a process that could never work ends and says why.
import { setTimeout as wait } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Config } from '../config.ts'
import { connectPool } from '../database.ts'
import type { Log } from '../log.ts'
import { explainConnectionFault } from './connection-faults.ts'

export type Address = { setting: string; server: 'Postgres' | 'Redis'; url: string }
type Limits = { everyMs: number; limitMs: number }

const LIMITS: Limits = { everyMs: 5_000, limitMs: 60_000 }

type Urls = Pick<Config, 'databaseUrl' | 'gatewayDatabaseUrl' | 'redisUrl'>

/** What it cannot work without: a replica that refuses it takes reads to the primary, and says so itself. */
export function addressesOf(urls: Urls, room: 'gateway' | 'worker'): Address[] {
  const { databaseUrl, gatewayDatabaseUrl, redisUrl } = urls
  const written: Address =
    room === 'gateway' && gatewayDatabaseUrl
      ? { setting: 'GATEWAY_DATABASE_URL', server: 'Postgres', url: gatewayDatabaseUrl }
      : { setting: 'DATABASE_URL', server: 'Postgres', url: databaseUrl }
  return [written, { setting: 'REDIS_URL', server: 'Redis', url: redisUrl }]
}

/** Settles with what is wrong where one of them has refused us for so long, and otherwise never. */
export function findUselessAddress(addresses: Address[], log: Log, limits = LIMITS): Promise<Error> {
  return Promise.race(addresses.map((address) => refusalOf(address, log, limits)))
}

async function refusalOf(address: Address, log: Log, { everyMs, limitMs }: Limits): Promise<Error> {
  let sinceMs: number | undefined
  for (;;) {
    const error = await tryOnce(address)
    if (!error) return new Promise(() => undefined)
    const reason = explainConnectionFault(error)
    if (reason === undefined) sinceMs = undefined
    else {
      const sentence = `${address.server} ${reason}: ${error.message}. See ${address.setting}`
      if (sinceMs === undefined) log.error(`${sentence}; the process ends unless that is mended in time`)
      sinceMs ??= performance.now()
      if (performance.now() - sinceMs >= limitMs) return new Error(sentence, { cause: error })
    }
    await wait(everyMs, undefined, { ref: false })
  }
}

async function tryOnce({ server, url }: Address): Promise<Error | undefined> {
  try {
    await (server === 'Postgres' ? tryPostgres(url) : tryRedis(url))
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

async function tryPostgres(url: string): Promise<void> {
  const pool = connectPool(url, { applicationName: 'berth-start', connectionsMax: 1, queryTimeoutMs: 2_000 })
  try {
    await pool.query('SELECT 1')
  } finally {
    await pool.end()
  }
}

async function tryRedis(url: string): Promise<void> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  // What it says by this is the cause; what it throws is only that the connection is closed.
  let cause: Error | undefined
  redis.on('error', (error: Error) => {
    cause ??= error
  })
  try {
    await redis.connect()
    await redis.ping()
  } catch (error) {
    throw cause ?? error
  } finally {
    redis.disconnect()
  }
}
