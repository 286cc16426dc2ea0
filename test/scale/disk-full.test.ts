// Fills the disk of Postgres or Redis: every write is refused immediately without effect, reads continue, the
// doctor names the disk, and writes work again once there is room. The disk is a small tmpfs, which only root
// can create.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkPostgres } from '../../commands/doctor/postgres.ts'
import { checkRedis } from '../../commands/doctor/redis.ts'
import { startRedis } from '../../local/redis/redis.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { migrateUp } from '../../shared/database/migrations.ts'
import { createSlot, type NewBooking } from '../support/faults/pipeline.ts'
import { fetchMetrics, sumMetrics } from '../support/figures.ts'
import type { Client } from '../support/http/http.ts'
import { eventually, measureTime, promised } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useClient, useWorld, type World } from '../support/world.ts'
import { startDebianPostgres } from './stage/debian-postgres.ts'
import { createSmallDisk } from './stage/small-disk.ts'

const DAY_MS = 86_400_000
const REFUSED_MS_MAX = 2_000
const CALLER_COUNT = 4
const REFUSALS_MIN = 40
const PROCESS_COUNTS = { web: 1, worker: 1, files: 1, hooks: 1 }
// The time for which a write waits if Redis has not noticed its full disk yet.
const WRITE_WAIT_MS = 2_000
// Refused callers retry until there is room, so the rate limit must not interfere.
const ENVIRONMENT = { RATE_LIMIT_PER_MINUTE: '1000000', WRITE_WAIT_MS: String(WRITE_WAIT_MS) }

function createBooker(client: Client, slot: NewBooking) {
  let day = 0
  const at = (text: string) => new Date(Date.parse(text) + day * DAY_MS).toISOString()
  return () => {
    day++
    return measureTime(() =>
      client.post('bookings', { ...slot, from_time: at(slot.from_time), to_time: at(slot.to_time) }),
    )
  }
}

/** Makes several callers book until enough requests are refused. Returns the number of bookings made. */
async function bookUntilRefused(book: ReturnType<typeof createBooker>): Promise<number> {
  let [booked, refused] = [0, 0]
  const ask = async () => {
    while (refused < REFUSALS_MIN) {
      const { answer, tookMs } = await book()
      if (answer.status === 200) booked++
      else {
        expect([answer.status, answer.json.code], answer.text).to.be.deep.oneOf([
          [503, 'not_executed'],
          [503, 'unavailable'],
        ])
        expect(tookMs, answer.text).to.be.below(promised(REFUSED_MS_MAX) + WRITE_WAIT_MS)
        refused++
      }
    }
  }
  await Promise.all(Array.from({ length: CALLER_COUNT }, ask))
  return booked
}

const countBookings = async (world: World) => (await world.database('bookings')).length

describe('a Postgres whose disk is full', function () {
  this.timeout(300_000)
  const disk = use(() => createSmallDisk(250), { close: (made) => made.remove() })
  const postgres = use(() => startDebianPostgres(15, { fsync: 'off' }, undefined, disk.path), {
    close: (made) => {
      disk.empty()
      return made.stop()
    },
  })
  before(async () => {
    const database = connectDatabase(postgres.url)
    await eventually(() => migrateUp(database))
    await database.destroy()
  })
  const world = useWorld(() => ({ databaseUrl: postgres.url, environment: ENVIRONMENT }))
  const client = useClient(world)

  const judgeDisk = async () => {
    const findings = await checkPostgres(world.config, PROCESS_COUNTS)
    const found = findings.find(({ about }) => about === 'disk of Postgres') ?? expect.fail('No finding')
    return [found.level, found.says.replace(/^the database has [\d.]+ MiB/, '')]
  }

  it('makes Berth refuse all writes with 503 immediately, until Postgres has room again', async () => {
    const book = createBooker(client, await createSlot(world))
    expect((await book()).answer.status).to.equal(200)
    disk.fill()
    const booked = await bookUntilRefused(book)
    expect((await client.get('groups')).status, 'a read').to.equal(200)
    expect(await judgeDisk()).to.deep.equal(['problem', ', and the disk is full: every write is refused'])
    const reason = { reason: 'database_full' }
    expect(sumMetrics(await fetchMetrics(world.url), 'berth_refusals_total', reason)).to.be.above(0)
    expect(await countBookings(world)).to.equal(1 + booked)

    disk.empty()
    const { answer } = await eventually(async () => {
      const made = await book()
      expect(made.answer.status, made.answer.text).to.equal(200)
      return made
    })
    expect(answer.status).to.equal(200)
    expect(await countBookings(world)).to.equal(2 + booked)
    expect((await judgeDisk())[0]).to.equal('warning')
  })
})

describe('a Redis whose disk is full', function () {
  this.timeout(300_000)
  const disk = use(() => createSmallDisk(20), { close: (made) => made.remove() })
  const redis = use(
    () => {
      mkdirSync(join(disk.path, 'redis'))
      return startRedis({ directory: join(disk.path, 'redis'), appendOnly: true })
    },
    {
      close: (made) => {
        disk.empty()
        return made.stop()
      },
    },
  )
  const world = useWorld(() => ({ environment: { ...ENVIRONMENT, REDIS_URL: redis.url } }))
  const client = useClient(world)

  it('makes Berth refuse all writes with 503 immediately, until Redis has room again', async () => {
    const book = createBooker(client, await createSlot(world))
    await eventually(async () => expect((await book()).answer.status).to.equal(200))
    const before = await countBookings(world)
    disk.fill()
    const booked = await bookUntilRefused(book)
    expect((await client.get('groups')).status, 'a read').to.equal(200)
    await eventually(async () => {
      const findings = await checkRedis(world.config, async () => [])
      expect(findings.filter(({ level }) => level === 'problem').map(({ todo }) => todo)).to.deep.equal([
        'Check its log and its disk.',
      ])
      expect(sumMetrics(await fetchMetrics(world.url), 'berth_redis_saves_ok')).to.equal(0)
    })
    expect(await countBookings(world)).to.equal(before + booked)
    disk.empty()
    await eventually(async () => expect((await book()).answer.status).to.equal(200))
  })
})
