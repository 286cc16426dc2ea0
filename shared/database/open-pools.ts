// Lists the pools of Postgres connections that this process has opened, to show how they are used.
import type { Knex } from 'knex'
import type pg from 'pg'

type PoolUse = { pool: string; used: number; idle: number; waiting: number; max: number }
type KnexPool = Record<'numUsed' | 'numFree' | 'numPendingAcquires', () => number> & { max: number }

/** Each returns undefined once its pool is closed. */
const pools = new Set<() => PoolUse | undefined>()

export function notePool(name: string, pool: pg.Pool) {
  note(() => {
    const { totalCount, idleCount: idle, waitingCount: waiting, options } = pool
    return pool.ended ? undefined : { pool: name, used: totalCount - idle, idle, waiting, max: options.max }
  })
}

export function noteKnexPool(name: string, database: Knex) {
  note(() => {
    const pool: KnexPool | undefined = database.client.pool
    if (!pool) return undefined
    const [used, idle, waiting] = [pool.numUsed(), pool.numFree(), pool.numPendingAcquires()]
    return { pool: name, used, idle, waiting, max: pool.max }
  })
}

export function listPools(): PoolUse[] {
  return [...pools].flatMap((useOf) => {
    const use = useOf()
    if (!use) pools.delete(useOf)
    return use ?? []
  })
}

function note(useOf: () => PoolUse | undefined) {
  // Forgets the closed ones.
  listPools()
  pools.add(useOf)
}
