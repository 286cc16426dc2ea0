// The audit log as one table, as it is, and in partitions by month: what the dashboard asks, what a write adds, and what it
// takes to be rid of a month. BENCH_ENTRIES (3,000,000) of two years, in a database of its own.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findAuditEntry, listActions, searchAuditLog } from '../gateway/dashboard/audit-log/queries.ts'
import { startPostgres } from '../local/postgres/postgres.ts'
import { connectDatabase } from '../shared/database.ts'
import { migrateUp } from '../shared/migrations.ts'
import { alternate, ms, printTable } from './measure.ts'
import { Backend } from './partitions/backend.ts'
import { printCost } from './partitions/measures.ts'

const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 3_000_000)
const MONTHS = 24
const ACTIONS = [
  'bookings.create',
  'bookings.delete',
  'bookings.update',
  'events.create',
  'users.import',
  'bookables.update',
  'tokens.create',
  'admins.login',
]
const ROUNDS = 40
const BATCHES = 100
const DELETED = 5_000
const DELETIONS = 8
const LAYOUTS = ['one table', 'by month'] as const

const directory = await mkdtemp(join(process.env.BENCH_DIR ?? tmpdir(), 'berth-audit-'))
const postgres = await startPostgres({
  directory,
  settings: {
    shared_buffers: '1GB',
    maintenance_work_mem: '512MB',
    max_wal_size: '8GB',
    fsync: 'off',
    full_page_writes: 'off',
    autovacuum: 'off',
    jit: 'off',
  },
})
try {
  const database = connectDatabase(postgres.url)
  await migrateUp(database)
  await database.destroy()
  const owner = await Backend.connect(postgres.url)
  await fill(owner.client)
  await partition(owner.client)
  await measureSizes(owner.client)
  await owner.client.end()
  await measureReads()
  for (const layout of LAYOUTS) await measureWrites(layout)
} finally {
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}

function optionsFor(layout: (typeof LAYOUTS)[number]): string {
  return layout === 'by month' ? '-c search_path=monthly,public' : ''
}

/** Three of ten actors make nearly all entries, and two of the actions are most of them, as it is. */
async function fill(client: pg.Client): Promise<void> {
  const actions = `ARRAY[${ACTIONS.map((action) => `'${action}'`).join(', ')}]`
  await client.query(
    `INSERT INTO audit_log (at, actor_type, actor_id, actor_name, action, resource, resource_id, after, request_id)
     SELECT now() - (1 - number::float / ${ENTRIES}) * interval '${MONTHS} months', 'token', actor, 'token ' || actor, action, split_part(action, '.', 1),
       number / 3, jsonb_build_object('id', number / 3, 'bookable_id', number % 5000, 'user_id', number % 20000, 'during', '["2026-11-20 08:00:00+00","2026-11-20 17:00:00+00")',
         'exclusive', true, 'guest_name', null, 'guest_email', null, 'booking_info', null, 'vehicle_id', null, 'license_plate', null, 'created_at', now(), 'updated_at', now()),
       gen_random_uuid()
     FROM generate_series(1, ${ENTRIES}) AS number
     CROSS JOIN LATERAL (SELECT CASE WHEN number % 100 < 90 THEN number % 3 ELSE number % 10 END AS actor,
       (${actions})[CASE WHEN number % 50 < 48 THEN 1 + number % 2 ELSE 1 + (number / 50) % ${ACTIONS.length} END] AS action) AS drawn`,
  )
  await client.query('VACUUM (ANALYZE) audit_log')
}

async function partition(client: pg.Client): Promise<void> {
  await client.query(`
    CREATE SCHEMA monthly;
    CREATE TABLE monthly.audit_log (LIKE public.audit_log INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING IDENTITY, PRIMARY KEY (id, at))
      PARTITION BY RANGE (at);
    CREATE TABLE monthly.other PARTITION OF monthly.audit_log DEFAULT`)
  const { rows } = await client.query<{ name: string; from: string; to: string }>(
    `SELECT to_char(month, '"m"YYYY_MM') AS name, month::text AS from, (month + interval '1 month')::text AS to
     FROM generate_series(date_trunc('month', now() - interval '${MONTHS} months'), now(), interval '1 month') AS month`,
  )
  for (const { name, from, to } of rows)
    await client.query(
      `CREATE TABLE monthly.${name} PARTITION OF monthly.audit_log FOR VALUES FROM ('${from}') TO ('${to}')`,
    )
  await client.query('INSERT INTO monthly.audit_log OVERRIDING SYSTEM VALUE SELECT * FROM public.audit_log')
  const { rows: indexes } = await client.query<{ sql: string }>(
    `SELECT pg_get_indexdef(indexrelid) AS sql FROM pg_index WHERE indrelid = 'public.audit_log'::regclass AND NOT indisprimary`,
  )
  for (const { sql } of indexes) await client.query(sql.replace('public.audit_log', 'monthly.audit_log'))
  await client.query('VACUUM (ANALYZE) monthly.audit_log')
}

async function measureReads(): Promise<void> {
  const pools = LAYOUTS.map(
    (layout) => new pg.Pool({ connectionString: postgres.url, options: optionsFor(layout), max: 1 }),
  )
  const [known, limit] = [ACTIONS, 51]
  const now = Date.now()
  const day = (daysAgo: number) => new Date(now - daysAgo * 86_400_000).toISOString()
  const asked: Record<string, (pool: pg.Pool) => Promise<unknown>> = {
    'the newest': (pool) => searchAuditLog(pool, {}, { known, limit }),
    'of one day': (pool) => searchAuditLog(pool, { from: day(100), to: day(99) }, { known, limit }),
    'of an actor': (pool) => searchAuditLog(pool, { actor: 'token 7' }, { known, limit }),
    'of a rare action': (pool) => searchAuditLog(pool, { actions: ['admins.login'] }, { known, limit }),
    'of one thing': (pool) =>
      searchAuditLog(pool, { resource: 'bookings', resourceId: Math.round(ENTRIES / 7) }, { known, limit }),
    'an entry by its id': (pool) => findAuditEntry(pool, Math.round(ENTRIES / 2)),
    'which actions there are': (pool) => listActions(pool),
  }
  const rows: string[][] = []
  for (const [name, ask] of Object.entries(asked)) {
    const [one, monthly] = pools
    if (!one || !monthly) throw new Error('There are two layouts')
    const measured = await alternate({ one: () => ask(one), monthly: () => ask(monthly) }, { rounds: ROUNDS })
    rows.push([
      name,
      ms(measured.one.medianMs),
      ms(measured.monthly.medianMs),
      (measured.monthly.medianMs / measured.one.medianMs).toFixed(1),
    ])
  }
  await Promise.all(pools.map((pool) => pool.end()))
  printTable([`${ENTRIES} entries`, 'one table, median ms', 'by month', 'times'], rows)
}

async function measureSizes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ heap: string; indexes: string }>(
    `SELECT round(pg_table_size('public.audit_log') / ${ENTRIES}.0) AS heap, round(pg_indexes_size('public.audit_log') / ${ENTRIES}.0) AS indexes`,
  )
  console.log(`bytes an entry: ${rows[0]?.heap} in the table, ${rows[0]?.indexes} in indexes`)
}

async function measureWrites(layout: (typeof LAYOUTS)[number]): Promise<void> {
  const backend = await Backend.connect(postgres.url, optionsFor(layout))
  const { client } = backend
  console.log(`\n## ${layout}`)
  const columns = 'actor_type, actor_id, actor_name, action, resource, resource_id, after, request_id'
  const add = `INSERT INTO audit_log (${columns}) SELECT ${columns} FROM public.audit_log ORDER BY id LIMIT 32`
  printCost('32 added', await backend.measure(BATCHES, () => client.query(add)), 32)
  const oldest = `SELECT ctid, tableoid FROM audit_log WHERE at < now() - interval '23 months' LIMIT ${DELETED}`
  const remove = `DELETE FROM audit_log WHERE (ctid, tableoid) IN (${oldest})`
  printCost(`${DELETED} deleted`, await backend.measure(DELETIONS, () => client.query(remove)), DELETED)
  await backend.report(`vacuumed after ${DELETIONS * DELETED}`, 'VACUUM audit_log')
  if (layout === 'by month') {
    const { rows } = await client.query(
      `SELECT to_char(now() - interval '23 months', '"monthly.m"YYYY_MM') AS name`,
    )
    await backend.report('a month dropped', `DROP TABLE ${rows[0].name}`)
  }
  await client.end()
}
