// Checks that data does not grow without limits: after a busy run and long after every limit, every table and Redis key
// is below its limit. A new table or kind of key must declare its limit here.
import { randomUUID } from 'node:crypto'
import { MetricsTime } from 'bullmq'
import { expect } from 'chai'
import type { Redis } from 'ioredis'
import { listMigrations } from '../../shared/database/migrations.ts'
import { openQueue, UPKEEP_INTERVALS_MS } from '../../shared/runtime/queues.ts'
import { QUEUES } from '../../shared/schemas/job.ts'
import { runUpkeep } from '../../workers/pollers/upkeep.ts'
import { ageRedis, listKeys } from '../security/support/redis-contents.ts'
import { useSignedIn } from '../support/dashboard/dashboard.ts'
import { reviewImport } from '../support/dashboard/import-wizard.ts'
import { KEYS } from '../support/databases.ts'
import { createBooking, createEvent, createHold, createUser } from '../support/factories.ts'
import { createSlot, useTools } from '../support/faults/pipeline.ts'
import { createSignInLink, signInAs } from '../support/people/person.ts'
import { openRedis } from '../support/redis.ts'
import { eventually } from '../support/time.ts'
import { useWith } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'

// Two months exceed every limit: the audit log is kept for one.
const DAYS = 62
const AGE_MS = DAYS * 24 * 3_600_000
const WRITE_COUNT = 60
// Daily figures begin ninety days ago, so they cover at most this many days.
const DAYS_WITH_FIGURES = 92

/** Tables of data that people enter and may delete. They grow with the company or over the years (docs/growth.md). */
const ENTERED_DATA_TABLES = [
  'absences',
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
  'group_leads',
  'group_members',
  'groups',
  'hold_attendees',
  'holds',
  'invitations',
  'loans',
  'locations',
  'monthly_report_mails',
  'person_languages',
  'person_settings',
  'provisioned_groups',
  'provisioned_users',
  'room_calendars',
  'screens',
  'series',
  'team_days',
  'tokens',
  'user_pictures',
  'users',
  'vehicles',
  'webhooks',
]

/** Tables that are empty after a long time without activity. */
const EXPIRING_TABLES = [
  'admin_links',
  'answer_links',
  'audit_log',
  'calendar_entries',
  'calendar_providers',
  'calendar_series',
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
  'organizer_entries',
  'past_changes',
  'person_sessions',
  'provider_rooms',
  'push_deliveries',
  'push_subscriptions',
  'pushed_bookings',
  'pushes',
  'receipts',
  'refused_bookings',
  'sessions',
  'setup_links',
  'sign_in_links',
  'told_bookings',
  'waits',
  'webhook_deliveries',
]

/**
 * Tables that upkeep computes from other tables. The limits allow for figures of days, months and years of each floor.
 */
const DERIVED_TABLES: Record<string, string> = {
  location_figures: `SELECT 2 * ${DAYS_WITH_FIGURES} * count(DISTINCT (location_id, type)) AS bound FROM bookables`,
  bookable_figures: `SELECT 26 * count(*) AS bound FROM bookings`,
  figured_locations: 'SELECT count(*) AS bound FROM locations',
  user_texts: 'SELECT count(*) AS bound FROM users',
}

const MAX_ROWS_BY_TABLE: Record<string, () => number | Promise<number>> = {
  identity: () => 1,
  migrations: async () => (await listMigrations()).length,
  migrations_lock: () => 1,
  // The webhook process writes this row once it has started.
  webhook_position: () => 0,
  mail_position: () => 1,
  push_position: () => 1,
  // One row for each mailbox that MAIL_ANSWERS has named. This world has none.
  answer_mailboxes: () => 0,
  // Both have one row once room calendars are used, which they are not in this world.
  calendar_position: () => 0,
  unknown_organizer: () => 0,
}

type KeyBound = { key: RegExp; members?: number; expires?: true }

const createQueueKeyPattern = (name: string) => new RegExp(`^\\{berth:\\w+\\}:test:\\w+:${name}$`)

/**
 * The maximum number of members of each permanent key, or that the key expires. Keys that are not listed must not
 * exist.
 */
const KEY_BOUNDS: KeyBound[] = [
  { key: /^\{berth:shared\}:processes$/, members: 4 },
  { key: /^\{berth:shared\}:load:/, expires: true },
  { key: /^\{berth:shared\}:test:(rate|requests|wrong-clock):?/, expires: true },
  { key: createQueueKeyPattern('id'), members: 1 },
  { key: createQueueKeyPattern('meta'), members: 10 },
  { key: createQueueKeyPattern('marker'), members: 2 },
  { key: createQueueKeyPattern('stalled-check'), expires: true },
  // The charts of the dashboard store a data point per minute.
  { key: createQueueKeyPattern('metrics:(completed|failed)'), members: 4 },
  { key: createQueueKeyPattern('metrics:(completed|failed):data'), members: MetricsTime.ONE_HOUR },
  // BullMQ keeps about the newest 10,000 events.
  { key: createQueueKeyPattern('events'), members: 11_000 },
  // The schedules of upkeep, and the next job of each schedule.
  {
    key: createQueueKeyPattern('(repeat|delayed|prioritized|wait|active|stalled)'),
    members: Object.keys(UPKEEP_INTERVALS_MS).length,
  },
  { key: createQueueKeyPattern('repeat:\\w+(:\\d+)?'), members: 20 },
  { key: createQueueKeyPattern('pc'), members: 1 },
]

describe('the limits of stored data', function suite() {
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
      // test/workers/pollers/change-partitions.test.ts covers the daily partitions of the outbox.
      .whereNot('tablename', 'like', 'changes\\_2%')
      .orderBy('tablename')
      .pluck('tablename')
  const count = async (table: string) =>
    Number((await world.database(table).count('* AS number').first())?.['number'])

  /** Creates data of each kind that expires by itself. */
  async function makeBusy(): Promise<void> {
    const workers = await world.startWorkers()
    const slots = await Promise.all(Array.from({ length: WRITE_COUNT }, () => createSlot(world)))
    for (const slot of slots)
      expect((await client.post('bookings', slot, { 'Idempotency-Key': randomUUID() })).status).to.equal(200)
    // Creates a refusal, which is stored with its key.
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
    for (const table of ['told_bookings', 'pushed_bookings'])
      await world.database(table).insert({ user_id: person, booking_id: 1 })
    await world.database('pushes').insert({ kind: 'reminder', user_id: person })
    await world.database.raw(
      `WITH subscribed AS (
         INSERT INTO push_subscriptions (user_id, session_hash, endpoint, p256dh, auth)
         SELECT user_id, hash, encode(hash, 'hex'), 'x', 'x' FROM person_sessions RETURNING id
       )
       INSERT INTO push_deliveries (subscription_id, payload, topic, is_urgent, expires_at)
       SELECT id, '{}', 'x', false, now() FROM subscribed`,
    )
    const hold_id = await createHold(world.database, {
      from: '2039-01-01',
      to: '2039-01-02',
      user_id: person,
    })
    await world
      .database('decision_links')
      .insert({ hash: '', hold_id, user_id: person, expires_at: new Date() })
    const event_id = await createEvent(world.database, { from: '2039-01-01', to: '2039-01-02' })
    const [invitation] = await world
      .database('invitations')
      .insert({ event_id, user_id: person })
      .returning('id')
    await world
      .database('answer_links')
      .insert({ hash: '', invitation_id: invitation.id, expires_at: new Date() })
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
    // Upkeep could otherwise start at any moment and interfere.
    await workers.stop()
    await createRoomCalendar(slots[0]?.bookable_id)
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

  /** Links a room to a calendar with an entry of a recurring meeting that is over. */
  async function createRoomCalendar(bookable_id: number | undefined): Promise<void> {
    const { database } = world
    await database('calendar_providers').insert({ provider: 'caldav' })
    await database('provider_rooms').insert({ provider: 'caldav', calendar: '/room/', name: 'Room' })
    await database('room_calendars').insert({ bookable_id, provider: 'caldav', calendar: '/room/' })
    await database('calendar_entries').insert({
      bookable_id,
      entry_id: '/room/1.ics',
      uid: 'weekly',
      during: '[2026-01-01T10:00:00Z,2026-01-01T11:00:00Z)',
    })
    await database('organizer_entries').insert({
      key: 'key',
      event_id: 1,
      provider: 'google',
      mailbox: 'olga@corp.test',
      ends_at: '2026-01-01T11:00:00Z',
    })
    const [series] = await database('series').insert({ repeat: '{}', timezone: 'UTC' }).returning('id')
    await database('calendar_series').insert({ uid: 'weekly', series_id: series.id })
  }

  async function makeOld(): Promise<void> {
    const { rows } = await world.database.raw<{ rows: Array<{ table: string; columns: string }> }>(
      `SELECT table_name AS table, string_agg(format('%1$I = %1$I - interval ''${DAYS} days''', column_name), ', ') AS columns
       FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'timestamp with time zone' AND is_generated = 'NEVER'
         AND table_name <> 'migrations'
         AND table_name NOT LIKE 'changes\\_%'
       GROUP BY 1`,
    )
    for (const { table, columns } of rows) await world.database.raw(`UPDATE ${table} SET ${columns}`)
    await ageRedis(redis, AGE_MS)
  }

  async function keepUp(): Promise<void> {
    const queues = new Map(QUEUES.map((name) => [name, openQueue(name, redis, KEYS)]))
    const config = { ...world.config, auditLogKeptMonths: 1 }
    // Runs each task twice, because upkeep repeats its search for data of an erased user.
    for (const task of Object.keys(UPKEEP_INTERVALS_MS).flatMap((name) => [name, name])) {
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

  it('are declared for every table', async () => {
    expect(
      [
        ...ENTERED_DATA_TABLES,
        ...EXPIRING_TABLES,
        ...Object.keys(DERIVED_TABLES),
        ...Object.keys(MAX_ROWS_BY_TABLE),
      ].sort(),
    ).to.deep.equal(await tables())
  })

  it('hold for every table and Redis key once the data has expired', async () => {
    await makeBusy()
    for (const table of EXPIRING_TABLES) expect(await count(table), `${table} before`).to.be.above(0)
    const entered = new Map(
      await Promise.all(ENTERED_DATA_TABLES.map(async (table) => [table, await count(table)] as const)),
    )
    await makeOld()
    await keepUp()
    for (const table of EXPIRING_TABLES) expect(await count(table), table).to.equal(0)
    for (const [table, sql] of Object.entries(DERIVED_TABLES)) {
      const { rows } = await world.database.raw<{ rows: Array<{ bound: number }> }>(sql)
      expect(await count(table), table).to.be.within(1, rows[0]?.bound ?? 0)
    }
    for (const [table, rows] of Object.entries(MAX_ROWS_BY_TABLE))
      expect(await count(table), table).to.equal(await rows())
    for (const [table, before] of entered) expect(await count(table), table).to.equal(before)
    expect(await findUnbounded()).to.deep.equal([])
  })

  /** Returns the keys that have no declared limit or exceed their limit. */
  async function findUnbounded(): Promise<string[]> {
    const unbounded: string[] = []
    for (const key of await listKeys(redis)) {
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
