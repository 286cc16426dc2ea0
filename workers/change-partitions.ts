// The partitions of the outbox: one a day, made a week ahead, dropped after thirty days. What is written on a day that has
// none lies in the default one, and is deleted from there.
import type { Knex } from 'knex'
import { CHANGES_KEPT_DAYS } from '../shared/changes/read.ts'
import { isLockTimeout } from '../shared/faults.ts'
import type { Log } from '../shared/log.ts'

const AHEAD_DAYS = 7
// A partition that is dropped locks them all, for a moment. Writers stand behind whoever waits for it, and an import holds it
// for minutes: upkeep comes again.
const LOCK_TIMEOUT_MS = 100
const DAY_MS = 24 * 3_600_000

export async function keepChangePartitions(database: Knex, log: Log, nowMs = Date.now()): Promise<void> {
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

// Attached, not created as one: that would lock out all writers. Rows of its day in the default one refuse it; there are
// none as long as upkeep has run within the week before.
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
