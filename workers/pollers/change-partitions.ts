// Maintains the partitions of the outbox: one for each day, created a week ahead and dropped after thirty days. If a
// day has no partition, its changes go to the default partition, and upkeep deletes them from there.
import type { Knex } from 'knex'
import { CHANGES_KEPT_DAYS } from '../../shared/changes/read.ts'
import { isLockTimeout } from '../../shared/database/faults.ts'
import type { Log } from '../../shared/utilities/log.ts'

const PARTITIONS_AHEAD_DAYS = 7
// The limit on waiting for a lock. Dropping a partition locks all partitions for a moment. Writers queue behind that
// lock request, and an import can hold its locks for minutes, so upkeep gives up quickly and tries again later.
const LOCK_TIMEOUT_MS = 100
const DAY_MS = 24 * 3_600_000

export async function maintainChangePartitions(database: Knex, log: Log, nowMs = Date.now()): Promise<void> {
  const partitions = await listPartitions(database)
  const today = Math.floor(nowMs / DAY_MS)
  for (let day = today + 1; day <= today + PARTITIONS_AHEAD_DAYS; day++) {
    const name = getPartitionName(day)
    if (!partitions.includes(name)) await runOrTryLater(log, name, () => createPartition(database, day))
  }
  const oldest = getPartitionName(today - CHANGES_KEPT_DAYS)
  for (const name of partitions.filter((each) => /^changes_\d{8}$/.test(each) && each < oldest))
    await runOrTryLater(log, name, () => dropPartition(database, name))
}

async function listPartitions(database: Knex): Promise<string[]> {
  const { rows } = await database.raw(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'changes'::regclass ORDER BY 1`,
  )
  return rows.map(({ name }: { name: string }) => name)
}

const formatDay = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)
const getPartitionName = (day: number) => `changes_${formatDay(day).replaceAll('-', '')}`

// Creates a partition. First creates a table and then attaches it, because creating a partition directly would block
// all writers. Attaching fails only if the default partition has rows for that day, which happens if upkeep did not run
// for a week.
async function createPartition(database: Knex, day: number): Promise<void> {
  const name = getPartitionName(day)
  const [from, to] = [formatDay(day), formatDay(day + 1)]
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

async function runOrTryLater(log: Log, partition: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    log.info({ partition }, 'a partition of the outbox is in use; upkeep tries again later')
  }
}
