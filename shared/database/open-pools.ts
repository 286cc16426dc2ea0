// Lists the pools of Postgres connections that this process has opened, to show how they are used.
import type { Knex } from 'knex'
import type pg from 'pg'

type PoolUse = { pool: string; used: number; idle: number; waiting: number; max: number }

type OpenPool = { isClosed(): boolean; use(): PoolUse }

type KnexPool = {
  max: number
  numUsed(): number
  numFree(): number
  numPendingAcquires(): number
}

const pools = new Set<OpenPool>()

export function notePool(name: string, pool: pg.Pool) {
  note({
    isClosed: () => pool.ended,
    use() {
      const { totalCount, idleCount: idle, waitingCount: waiting, options } = pool
      return { pool: name, used: totalCount - idle, idle, waiting, max: options.max }
    },
  })
}

export function noteKnexPool(name: string, database: Knex) {
  // Undefined once it is destroyed.
  const current = (): KnexPool | undefined => database.client.pool
  note({
    isClosed: () => current() === undefined,
    use() {
      const pool = current()
      return {
        pool: name,
        used: pool?.numUsed() ?? 0,
        idle: pool?.numFree() ?? 0,
        waiting: pool?.numPendingAcquires() ?? 0,
        max: pool?.max ?? 0,
      }
    },
  })
}

export function listPools(): PoolUse[] {
  forgetClosed()
  return [...pools].map((pool) => pool.use())
}

function note(pool: OpenPool) {
  forgetClosed()
  pools.add(pool)
}

function forgetClosed() {
  for (const pool of pools) if (pool.isClosed()) pools.delete(pool)
}
