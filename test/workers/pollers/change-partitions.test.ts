// Tests the daily partitions of the outbox: created in advance, and dropped after thirty days, without delaying a
// writer.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { recordChanges } from '../../../shared/changes/record.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { maintainChangePartitions } from '../../../workers/pollers/change-partitions.ts'
import { useConnection, useDatabase } from '../../support/databases.ts'
import { waitPastMidnight } from '../../support/time.ts'

const DAY_MS = 24 * 3_600_000
const AUTHOR = {
  actor: { type: 'system' as const, id: null, name: 'test' },
  requestId: 'partitions',
  attempt: null,
}
const log = createLog('test', 'silent')

describe('the daily partitions of the outbox', () => {
  const database = useConnection(useDatabase())

  const list = async () => {
    const { rows } = await database.raw(
      "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'changes'::regclass ORDER BY 1",
    )
    return rows.map(({ name }: { name: string }) => name)
  }
  const nameOf = (ms: number) => `changes_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`
  const insert = (atMs: number, connection: Knex = database) =>
    connection('changes').insert({
      type: 'user',
      action: 'updated',
      resource_id: 1,
      actor_type: 'system',
      actor_name: '',
      request_id: '',
      at: new Date(atMs).toISOString(),
    })
  const where = async (atMs: number) => {
    const at = new Date(atMs).toISOString()
    return (await database('changes').where({ at }).first(database.raw('tableoid::regclass::text AS name')))
      ?.name
  }

  it('exist a week ahead, with a default partition for all other days', async () => {
    await waitPastMidnight(10_000)
    const nowMs = Date.now()
    await maintainChangePartitions(database, log, nowMs)
    const days = Array.from({ length: 7 }, (_none, index) => nameOf(nowMs + (index + 1) * DAY_MS))
    expect(await list()).to.deep.equal([...days, 'changes_default'])
    const former = new Map([[1, { data: null, buildings: [] }]])
    await recordChanges(database, AUTHOR, { resource: 'users', action: 'updated' }, former)
    await insert(nowMs + DAY_MS)
    expect(await where(nowMs + DAY_MS)).to.equal(nameOf(nowMs + DAY_MS))
    expect((await database('changes_default')).length).to.equal(1)
    await maintainChangePartitions(database, log, nowMs)
    expect(await list()).to.have.length(8)
  })

  it('are dropped after thirty whole days, not earlier', async () => {
    const nowMs = Date.now()
    const first = nameOf(nowMs + DAY_MS)
    await maintainChangePartitions(database, log, nowMs + 31 * DAY_MS)
    expect(await list()).to.include(first)
    await maintainChangePartitions(database, log, nowMs + 32 * DAY_MS)
    expect(await list()).to.not.include(first)
  })

  it('are created during a long transaction, and dropped at the latest a minute after it ends', async () => {
    const nowMs = Date.now() + 100 * DAY_MS
    await maintainChangePartitions(database, log, nowMs)
    const day = nameOf(nowMs + DAY_MS)
    const writer = await database.transaction()
    await insert(nowMs + DAY_MS, writer)
    // Does not wait for the writer, whose transaction ends later.
    await maintainChangePartitions(database, log, nowMs + 40 * DAY_MS)
    // Creating partitions needs no lock that the writer holds; the old partitions still exist.
    expect(await list()).to.include.members([day, nameOf(nowMs + 41 * DAY_MS)])
    await writer.commit()
    await maintainChangePartitions(database, log, nowMs + 40 * DAY_MS)
    expect(await list()).to.not.include(day)
  })
})
