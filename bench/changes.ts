// A reader of the change feed who was away for a day: BENCH_CHANGES in pages of BENCH_LIMIT, as the gateway reads them. The last
// page takes no longer than the first, because none is sorted: each goes on in an index where the one before has ended.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findChanges } from '../gateway/api/queries/changes.ts'
import { startPostgres } from '../local/postgres/postgres.ts'
import type { ChangePosition } from '../shared/changes/read.ts'
import { connectDatabase } from '../shared/database.ts'
import { migrateUp } from '../shared/migrations.ts'
import { ms, printTable, quantile } from './measure.ts'
import { cpuUsOf } from './stage/process-table.ts'

const CHANGES = Number(process.env.BENCH_CHANGES ?? 1_000_000)
const LIMIT = Number(process.env.BENCH_LIMIT ?? 1_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
// So many changes has a transaction, more or less: bookings have one, imports many.
const IN_ONE = 20
const DAY_MS = 24 * 3_600_000
const BASE = 'https://desk.example.com'

const directory = await mkdtemp(join(tmpdir(), 'berth-bench-'))
const postgres = await startPostgres({ directory, settings: { shared_buffers: '1GB', max_wal_size: '8GB' } })
const client = new pg.Client({ connectionString: postgres.url, options: '-c jit=off' })
try {
  await client.connect()
  await fill()
  const rounds: string[][] = []
  for (let round = 1; round <= ROUNDS; round++) rounds.push(await catchUp(round))
  printTable(
    [
      '',
      'changes',
      'pages',
      'seconds',
      'CPU of Postgres, s',
      'a page, median ms',
      '95 % ms',
      'the first 50',
      'the last 50',
    ],
    rounds,
  )
} finally {
  await client.end()
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}

/** The changes of the last day, in the partitions of two dates. */
async function fill(): Promise<void> {
  const database = connectDatabase(postgres.url)
  await migrateUp(database)
  await database.raw(`
    DO $$ BEGIN
      FOR day IN -1..0 LOOP
        EXECUTE format('CREATE TABLE changes_of_%s PARTITION OF changes FOR VALUES FROM (%L) TO (%L)',
          day + 1, date_trunc('day', now()) + day * interval '1 day', date_trunc('day', now()) + (day + 1) * interval '1 day');
      END LOOP;
    END $$`)
  // So many transactions have there been.
  await database.raw(`DO $$ BEGIN
    FOR number IN 1..${Math.ceil(CHANGES / IN_ONE)} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP;
  END $$`)
  await database.raw(
    `INSERT INTO changes (sequence, horizon, at, type, action, resource_id, data, actor_type, actor_id, actor_name, request_id)
     SELECT number, 1 + number / ${IN_ONE}, now() - interval '23 hours' + (number::float / ${CHANGES}) * interval '22 hours',
       'booking', 'created', number, json_build_object('id', number, 'livemap', '/api/v1/bookings/' || number || '/livemap',
         'bookable', repeat('x', 250), 'user', repeat('y', 150))::text, 'token', 1, 'bench', 'bench'
     FROM generate_series(1, ${CHANGES}) AS number`,
  )
  await database.raw('VACUUM ANALYZE changes')
  await database.destroy()
}

async function catchUp(round: number): Promise<string[]> {
  let after: ChangePosition = { horizon: 0, sequence: 0, atMs: Date.now() - DAY_MS }
  let read = 0
  const times: number[] = []
  const cpuBefore = cpuUsOf([postgres.pid])
  for (;;) {
    const started = performance.now()
    const asked = { after, types: undefined, limit: LIMIT, baseUrl: BASE, buildingIds: null }
    const page = await findChanges(client, asked)
    if (!page) throw new Error('The position is of another database')
    times.push(performance.now() - started)
    read += page.count
    after = page.next
    if (!page.isFull) break
  }
  if (read !== CHANGES) throw new Error(`${read} changes were read instead of ${CHANGES}`)
  const cpu = (cpuUsOf([postgres.pid]) - cpuBefore) / 1_000_000
  const seconds = times.reduce((sum, each) => sum + each, 0) / 1_000
  const medianOf = (some: number[]) => ms(quantile(some, 0.5))
  return [
    ...[String(round), String(read), String(times.length), seconds.toFixed(1), cpu.toFixed(1)],
    ...[medianOf(times), ms(quantile(times, 0.95)), medianOf(times.slice(0, 50)), medianOf(times.slice(-50))],
  ]
}
