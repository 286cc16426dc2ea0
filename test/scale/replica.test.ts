// Delays, stops and restarts a streaming replica under load: all callers see their own writes, and no read fails.
// `SECONDS` sets the duration.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { connectPool } from '../../shared/database/database.ts'
import { createDesk } from '../support/factories.ts'
import { ReplicatedPostgres } from '../support/faults/replica.ts'
import { parseMetrics } from '../support/figures.ts'
import { Client } from '../support/http/http.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'
import { CORE_TESTS, runSuiteOn } from './stage/suite.ts'

// Excludes the test of long listings, which looks for their statements on the primary.
const SUITE_FILES = [...CORE_TESTS, 'test/gateway/api/rest/users/users-import-formats.test.ts']
const READER_APPLICATIONS = ['berth-reads', 'berth-point-reads', 'berth-streams']
const RUN_MS = Number(process.env.SECONDS ?? 60) * 1_000
const CALLER_COUNT = 6
const SLOT_MS = 600_000
const FIRST_SLOT_MS = Math.ceil(Date.now() / SLOT_MS) * SLOT_MS
// The number of slots in a week, which is the longest period of a listing.
const SLOT_COUNT = 1_000
const getSlotStart = (number: number) => new Date(FIRST_SLOT_MS + number * SLOT_MS).toISOString()

type LoadCounts = { writes: number; reads: number; missed: string[]; failed: string[]; slowestReadMs: number }

describe('a replica for reads', () => {
  const postgres = use(() => ReplicatedPostgres.start(), { close: (made) => made.stop() })
  const world = useWorld(() => ({
    databaseUrl: postgres.url,
    environment: {
      DATABASE_READ_URL: postgres.replicaUrl,
      REPLICA_LAG_MS_MAX: '1000',
      RATE_LIMIT_PER_MINUTE: '1000000',
    },
  }))

  it('shows callers their own writes, and never makes a read fail, even if the replica does', async () => {
    const other = await world.startGateway()
    const count: LoadCounts = { writes: 0, reads: 0, missed: [], failed: [], slowestReadMs: 0 }
    const endMs = Date.now() + RUN_MS
    const callers = Array.from({ length: CALLER_COUNT }, () =>
      writeAndRead([world.url, other.url], endMs, count),
    )
    await Promise.all([...callers, makeFaults(endMs)])
    await postgres.resumeReplay()
    const figures = await Promise.all([world.url, other.url].map(countReads))
    console.log(JSON.stringify({ ...count, figures }, null, 2))
    expect(count.missed).to.deep.equal([])
    expect(count.failed).to.deep.equal([])
    for (const reason of ['', 'not_replayed', 'replica_unusable']) {
      const number = figures.reduce((sum, each) => sum + (each[reason] ?? 0), 0)
      expect(number, `reads “${reason}”`).to.be.above(0)
    }
  })

  /** Writes at one gateway, and reads at another gateway. */
  async function writeAndRead(urls: string[], endMs: number, count: LoadCounts): Promise<void> {
    const desk = await createDesk(world.database)
    const { token } = await world.client()
    const clients = urls.map((url) => new Client(url, token))
    const own = new Set<number>()
    for (let number = 0; Date.now() < endMs && number < SLOT_COUNT; number++) {
      const [writer, reader] = number % 2 === 0 ? clients : [...clients].reverse()
      if (!writer || !reader) throw new Error('There are no gateways')
      const range = { from_time: getSlotStart(number), to_time: getSlotStart(number + 1) }
      const { status, json } = await writer.post('bookings', { ...desk, ...range })
      if (status === 200) own.add(json.data[0].id)
      else count.failed.push(`POST ${status}`)
      const [oldest] = own
      if (number % 3 === 2 && oldest !== undefined) {
        expect((await writer.delete(`bookings/${oldest}`)).status).to.equal(204)
        own.delete(oldest)
      }
      count.writes++
      await expectOwn(reader, desk.bookable_id, own, count)
    }
  }

  async function expectOwn(reader: Client, bookableId: number, own: Set<number>, count: LoadCounts) {
    const startedMs = Date.now()
    const { status, json } = await reader.get(
      `bookables/${bookableId}/bookings?from=${getSlotStart(0)}&to=${getSlotStart(SLOT_COUNT)}`,
    )
    count.reads++
    count.slowestReadMs = Math.max(count.slowestReadMs, Date.now() - startedMs)
    if (status !== 200) return count.failed.push(`GET ${status}`)
    const found = new Set(json.data.map(({ id }: { id: number }) => id))
    const isSame = found.size === own.size && [...own].every((id) => found.has(id))
    if (!isSame) count.missed.push(`${found.size} instead of ${own.size}`)
  }

  async function makeFaults(endMs: number): Promise<void> {
    const pause = async (pausedMs: number) => {
      await postgres.pauseReplay()
      await wait(pausedMs)
      await postgres.resumeReplay()
    }
    const faults = [
      () => pause(30),
      () => pause(300),
      () => pause(3_000),
      async () => {
        await postgres.killReplica()
        await wait(1_000)
        await postgres.restartReplica()
      },
    ]
    for (let number = 0; Date.now() < endMs; number++) {
      await wait(1_000)
      await faults[number % faults.length]?.()
    }
  }
})

describe('a replica that every commit waits for', () => {
  const postgres = use(() => ReplicatedPostgres.start({ applied: true }), { close: (made) => made.stop() })

  it('passes the core of the HTTP test suite', async () => {
    const readers = watchReaders(postgres.replicaUrl)
    try {
      await runSuiteOn({ databaseUrl: postgres.url, replicaUrl: postgres.replicaUrl }, SUITE_FILES)
    } finally {
      const seen = await readers.end()
      console.log(`On the replica: ${seen.join(', ')}`)
      expect(seen.filter((name) => READER_APPLICATIONS.includes(name))).to.not.deep.equal([])
    }
  })
})

/** Records which gateways connect to the replica, which they do only for reads. */
function watchReaders(url: string): { end(): Promise<string[]> } {
  const pool = connectPool(url, { connectionsMax: 1 })
  const names = new Set<string>()
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await pool.query<{ name: string }>(
        `SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE application_name LIKE 'berth-%'`,
      )
      for (const { name } of rows) names.add(name)
      await wait(50)
    }
    await pool.end()
  })()
  return {
    async end() {
      isOver = true
      await watching
      return [...names]
    },
  }
}

async function countReads(url: string): Promise<Record<string, number>> {
  const figures = parseMetrics((await new Client(url).get('/metrics')).text)
  const reads = figures.filter(({ name }) => name === 'berth_reads_total')
  return Object.fromEntries(reads.map(({ labels, value }) => [labels.reason ?? '', value]))
}
