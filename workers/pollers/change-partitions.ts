// The partitions of the outbox: one per day, created a week ahead, dropped after thirty days. Changes of a
// day without a partition go to the default partition and are deleted from there.
import type { Knex } from 'knex'
import { CHANGES_KEPT_DAYS } from '../../shared/changes/read.ts'
import { isLockTimeout } from '../../shared/database/faults.ts'
import type { Log } from '../../shared/utilities/log.ts'

const AHEAD_DAYS = 7
// Dropping a partition locks all partitions for a moment. Writers queue behind that lock request, and an
// import holds its locks for minutes, so upkeep gives up quickly and tries again later.
const LOCK_TIMEOUT_MS = 100
const DAY_MS = 24 * 3_600_000

export async function maintainChangePartitions(database: Knex, log: Log, nowMs = Date.now()): Promise<void> {
  const partitions = await listPartitions(database)
  const today = Math.floor(nowMs / DAY_MS)
  for (let day = today + 1; day <= today + AHEAD_DAYS; day++) {
    const name = nameOf(day)
    if (!partitions.includes(name)) await tryLater(log, name, () => createPartition(database, day))
  }
  const oldest = nameOf(today - CHANGES_KEPT_DAYS)
  for (const name of partitions.filter((each) => /^changes_\d{8}$/.test(each) && each < oldest))
    await tryLater(log, name, () => dropPartition(database, name))
}

async function listPartitions(database: Knex): Promise<string[]> {
  const { rows } = await database.raw(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'changes'::regclass ORDER BY 1`,
  )
  return rows.map(({ name }: { name: string }) => name)
}

const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)
const nameOf = (day: number) => `changes_${dateOf(day).replaceAll('-', '')}`

// Created as a table and then attached, because creating it as a partition would lock out all writers.
// Attaching fails if the default partition has rows of that day: only if upkeep did not run for a week.
async function createPartition(database: Knex, day: number): Promise<void> {
  const name = nameOf(day)
  const [from, to] = [dateOf(day), dateOf(day + 1)]
  await database.transaction(async (trx) => {
    await trx.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await trx.raw(`CREATE TABLE ${name} (LIKE changes INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`)
    await trx.raw(
      `ALTER TABLE changes ATTACH PARTITION ${name} FOR VALUES FROM ('${from}T00:00:00Z') TO ('${to}T00:00:00Z')`,
    )
  })
}

async function dropPartition(database: Knex, name: string): Promise<void> {
  await database.transaction(async (trx) => {
    await trx.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await trx.raw(`DROP TABLE ${name}`)
  })
}

async function tryLater(log: Log, partition: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    log.info({ partition }, 'a partition of the outbox is in use: upkeep tries again')
  }
}
