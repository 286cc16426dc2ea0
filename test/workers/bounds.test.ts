// Growing data, and what limits it: after a busy run, and long after every limit, upkeep leaves in each table and each key no
// more than its bound. A new table, or a key of a new kind, has to say its bound here.
import { randomUUID } from 'node:crypto'
import { MetricsTime } from 'bullmq'
import { expect } from 'chai'
import type { Redis } from 'ioredis'
import { listMigrations } from '../../shared/database/migrations.ts'
import { openQueue, UPKEEP_EVERY_MS } from '../../shared/runtime/queues.ts'
import { QUEUES } from '../../shared/schemas/job.ts'
import { runUpkeep } from '../../workers/pollers/upkeep.ts'
import { age, allKeys } from '../security/support/redis-contents.ts'
import { useSignedIn } from '../support/dashboard/dashboard.ts'
import { reviewImport } from '../support/dashboard/import-wizard.ts'
import { KEYS } from '../support/databases.ts'
import { createBooking, createHold, createUser } from '../support/factories.ts'
import { createSlot, useTools } from '../support/faults/pipeline.ts'
import { createSignInLink, signInAs } from '../support/people/person.ts'
import { openRedis } from '../support/redis.ts'
import { eventually } from '../support/time.ts'
import { useWith } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'

// Two months exceed every limit: the audit log is kept for one.
const DAYS = 62
const AGE_MS = DAYS * 24 * 3_600_000
const WRITES = 60
// Daily figures start ninety days back.
const FIGURED_DAYS = 92

/** What somebody has entered and may delete: it grows with the company, or with the years (docs/growth.md). */
const ENTERED = [
  'admin_identities',
  'admins',
  'arrivals',
  'bookable_assignees',
  'bookable_codes',
  'bookables',
  'bookings',
  'buildings',
  'calendars',
  'event_attendees',
  'events',
  'favourite_colleagues',
  'group_members',
  'groups',
  'holds',
  'locations',
  'monthly_report_mails',
  'person_languages',
  'person_settings',
  'provisioned_groups',
  'provisioned_users',
  'screens',
  'series',
  'tokens',
  'users',
  'vehicles',
  'webhooks',
]

/** Empty after a long time without activity. */
const EXPIRING = [
  'admin_links',
  'audit_log',
  'cancelled_bookings',
  'changed_user_texts',
  'changes',
  'changes_default',
  'decision_links',
  'device_authorizations',
  'erasures',
  'file_chunks',
  'files',
  'idempotency_keys',
  'import_layouts',
  'import_plan_rows',
  'import_plans',
  'jobs',
  'mails',
  'past_changes',
  'person_sessions',
  'receipts',
  'refused_bookings',
  'sessions',
  'setup_links',
  'sign_in_links',
  'told_bookings',
  'waits',
  'webhook_deliveries',
]

/** What upkeep makes of other tables. Figures are of days and of longer periods, of each floor: twice as many as days are enough; and
 * of what was booked: of its day and month, and of up to 24 half months until the end of the year. */
const DERIVED: Record<string, string> = {
  location_figures: `SELECT 2 * ${FIGURED_DAYS} * count(DISTINCT (location_id, type)) AS bound FROM bookables`,
  bookable_figures: `SELECT 26 * count(*) AS bound FROM bookings`,
  figured_locations: 'SELECT count(*) AS bound FROM locations',
  user_texts: 'SELECT count(*) AS bound FROM users',
}

const ROWS: Record<string, () => number | Promise<number>> = {
  identity: () => 1,
  migrations: async () => (await listMigrations()).length,
  migrations_lock: () => 1,
  // Written by the process that makes deliveries, once it has started.
  webhook_position: () => 0,
  mail_position: () => 1,
}

type KeyBound = { key: RegExp; members?: number; expires?: true }

const queueKey = (name: string) => new RegExp(`^\\{berth:\\w+\\}:test:\\w+:${name}$`)

/** How many members a key may have for good, or that it expires. What is not here must be gone. */
const KEY_BOUNDS: KeyBound[] = [
  { key: /^\{berth:shared\}:processes$/, members: 4 },
  { key: /^\{berth:shared\}:test:(rate|requests|wrong-clock):?/, expires: true },
  { key: queueKey('id'), members: 1 },
  { key: queueKey('meta'), members: 10 },
  { key: queueKey('marker'), members: 2 },
  { key: queueKey('stalled-check'), expires: true },
  // The dashboard's charts store one point a minute.
  { key: queueKey('metrics:(completed|failed)'), members: 4 },
  { key: queueKey('metrics:(completed|failed):data'), members: MetricsTime.ONE_HOUR },
  // BullMQ keeps the newest 10,000 or so.
  { key: queueKey('events'), members: 11_000 },
  // The schedules of upkeep, and the next job of each.
  {
    key: queueKey('(repeat|delayed|prioritized|wait|active|stalled)'),
    members: Object.keys(UPKEEP_EVERY_MS).length,
  },
  { key: queueKey('repeat:\\w+(:\\d+)?'), members: 20 },
  { key: queueKey('pc'), members: 1 },
]

describe('the size of stored data', function suite() {
  this.timeout(300_000)
  const world = useWorld({ workers: [], environment: { RATE_LIMIT_PER_MINUTE: '1000000' } })
  const client = useClient(world)
  const browser = useSignedIn(world)
  const tools = useTools(world, 'upkeep')
  const redis: Redis = useWith(
    world,
    () => openRedis(world.config),
    (made) => made.disconnect(),
  )

  const tables = () =>
    world
      .database('pg_tables')
      .where({ schemaname: 'public' })
      // The days of the outbox: test/workers/pollers/change-partitions.test.ts.
      .whereNot('tablename', 'like', 'changes\\_2%')
      .orderBy('tablename')
      .pluck('tablename')
  const count = async (table: string) =>
    Number((await world.database(table).count('* AS number').first())?.['number'])

  /** Creates some of each kind of data that expires by itself. */
  async function makeBusy(): Promise<void> {
    const workers = await world.startWorkers()
    const slots = await Promise.all(Array.from({ length: WRITES }, () => createSlot(world)))
    for (const slot of slots)
      expect((await client.post('bookings', slot, { 'Idempotency-Key': randomUUID() })).status).to.equal(200)
    // Refused, and its key keeps the refusal.
    expect((await client.post('bookings', slots[0])).status).to.equal(409)
    const prefer = { Prefer: 'respond-async' }
    const accepted = [
      await client.import('email,name\na@bounds.example,A\n', {}, prefer),
      await client.get('users/export?format=csv', prefer),
    ]
    for (const { status, headers } of accepted) {
      expect(status).to.equal(202)
      const { pathname } = new URL(headers.get('Location') ?? '')
      const state = async () => (await client.get(pathname)).json.data.state
      await eventually(async () => expect(await state()).to.equal('done'), 120_000)
    }
    await reviewImport(browser, 'email,name\nb@bounds.example,B\n')
    await world.database.raw(
      "INSERT INTO setup_links (hash, expires_at) VALUES ('', now() + interval '1 day')",
    )
    await world.database.raw(
      "INSERT INTO admin_links (hash, admin_id, expires_at) SELECT '', min(id), now() + interval '1 day' FROM admins",
    )
    const person = await createUser(world.database)
    await signInAs(world, person)
    await createSignInLink(world.database, person)
    await world.database('told_bookings').insert({ user_id: person, booking_id: 1 })
    const hold_id = await createHold(world.database, {
      from: '2039-01-01',
      to: '2039-01-02',
      user_id: person,
    })
    await world
      .database('decision_links')
      .insert({ hash: '', hold_id, user_id: person, expires_at: new Date() })
    const asked = await fetch(`${world.url}/oauth/device_authorization`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'berth-cli' }),
    })
    expect(asked.status).to.equal(200)
    const calendar = await client.post('calendars', { bookable_id: slots[0]?.bookable_id })
    expect(calendar.status).to.equal(200)
    const [cancelled] = (await client.post('bookings', await createSlot(world))).json.data
    expect((await client.delete(`bookings/${cancelled.id}`)).status).to.equal(204)
    const types = ['booking.created']
    expect((await client.post('webhooks', { url: 'https://receiver.example', types })).status).to.equal(200)
    // Upkeep, which may come at any moment, would be done with what follows.
    await workers.stop()
    const hours = (number: number) => new Date(Date.now() + number * 3_600_000).toISOString()
    await createBooking(world.database, { from: hours(-50), to: hours(-42) })
    const erased = await createUser(world.database)
    const used_at = hours(-700 * 24)
    await world.database('import_layouts').insert({ headings: 'x', columns: ['email'], used_at })
    await world.database('erasures').insert({ user_id: erased, terms: ['nobody@bounds.example'] })
    await world.database.raw(
      `INSERT INTO webhook_deliveries (webhook_id, type, change_horizon, change_sequence, change_at)
       SELECT id, 'booking.created', 1, 1, now() FROM webhooks`,
    )
    await world.database.raw(
      `INSERT INTO waits (user_id, bookable_id, during, state, ended_at)
       SELECT user_id, bookable_id, during, 'over', now() FROM bookings WHERE user_id IS NOT NULL LIMIT 1`,
    )
    await world.database.raw(
      `INSERT INTO mails (kind, admin_id, webhook_id)
       SELECT 'webhook-disabled', admins.id, webhooks.id FROM admins, webhooks LIMIT 1`,
    )
    await world.database.raw(
      "INSERT INTO monthly_report_mails (admin_id, language, last_month) SELECT min(id), 'en', '2026-10-01' FROM admins",
    )
    await world.database.raw(
      "INSERT INTO admin_identities (issuer, subject, admin_id) SELECT 'https://id.example', 'a', min(id) FROM admins",
    )
  }

  async function makeOld(): Promise<void> {
    const { rows } = await world.database.raw<{ rows: Array<{ table: string; columns: string }> }>(
      `SELECT table_name AS table, string_agg(format('%1$I = %1$I - interval ''${DAYS} days''', column_name), ', ') AS columns
       FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'timestamp with time zone' AND table_name <> 'migrations'
         AND table_name NOT LIKE 'changes\\_%'
       GROUP BY 1`,
    )
    for (const { table, columns } of rows) await world.database.raw(`UPDATE ${table} SET ${columns}`)
    await age(redis, AGE_MS)
  }

  async function keepUp(): Promise<void> {
    const queues = new Map(QUEUES.map((name) => [name, openQueue(name, redis, KEYS)]))
    const config = { ...world.config, auditLogKeptMonths: 1 }
    // What upkeep finds of an erased user it looks for once more.
    for (const task of Object.keys(UPKEEP_EVERY_MS).flatMap((name) => [name, name])) {
      await world.database.raw("UPDATE erasures SET searched_at = searched_at - interval '1 hour'")
      await runUpkeep(
        `upkeep.${task}`,
        tools,
        (name) => queues.get(name) ?? expect.fail(`There is no queue ${name}`),
        config,
      )
    }
    await Promise.all([...queues.values()].map((queue) => queue.close()))
  }

  it('has a declared limit for every table', async () => {
    expect([...ENTERED, ...EXPIRING, ...Object.keys(DERIVED), ...Object.keys(ROWS)].sort()).to.deep.equal(
      await tables(),
    )
  })

  it('returns below its limit for every table and every key of Redis when its time is over', async () => {
    await makeBusy()
    for (const table of EXPIRING) expect(await count(table), `${table} before`).to.be.above(0)
    const entered = new Map(
      await Promise.all(ENTERED.map(async (table) => [table, await count(table)] as const)),
    )
    await makeOld()
    await keepUp()
    for (const table of EXPIRING) expect(await count(table), table).to.equal(0)
    for (const [table, sql] of Object.entries(DERIVED)) {
      const { rows } = await world.database.raw<{ rows: Array<{ bound: number }> }>(sql)
      expect(await count(table), table).to.be.within(1, rows[0]?.bound ?? 0)
    }
    for (const [table, rows] of Object.entries(ROWS)) expect(await count(table), table).to.equal(await rows())
    for (const [table, before] of entered) expect(await count(table), table).to.equal(before)
    expect(await findUnbounded()).to.deep.equal([])
  })

  /** The keys that have no declared bound, or exceed it. */
  async function findUnbounded(): Promise<string[]> {
    const unbounded: string[] = []
    for (const key of await allKeys(redis)) {
      const bound = KEY_BOUNDS.find((each) => each.key.test(key))
      const isWithin = bound?.expires
        ? (await redis.pttl(key)) >= 0
        : (await sizeOf(key)) <= (bound?.members ?? 0)
      if (!isWithin) unbounded.push(`${key}: ${await sizeOf(key)}`)
    }
    return unbounded
  }

  async function sizeOf(key: string): Promise<number> {
    const type = await redis.type(key)
    if (type === 'hash') return redis.hlen(key)
    if (type === 'list') return redis.llen(key)
    if (type === 'set') return redis.scard(key)
    if (type === 'zset') return redis.zcard(key)
    if (type === 'stream') return redis.xlen(key)
    return type === 'none' ? 0 : 1
  }
})
