// What partitioning `bookings` would cost and gain: the same bookings in one table as it is, in partitions by month, and in
// partitions by bookable; what each holds, what reads and writes cost, and what it takes to be rid of a month.
//
// BENCH_BOOKINGS (50,000,000) take some 15 GB beside their WAL, and three hours of CPU, most of it for the exclusion
// constraint; BENCH_DIR says where, BENCH_LAYOUTS which.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../local/postgres/postgres.ts'
import { connectDatabase } from '../shared/database.ts'
import { migrateUp } from '../shared/migrations.ts'
import { Backend } from './partitions/backend.ts'
import { createCompany, type Size, sizeOf } from './partitions/company.ts'
import { buildLayout, LAYOUTS, type Layout } from './partitions/layouts.ts'
import { measureInserts, measureReads, measureRemoval, measureSizes } from './partitions/measures.ts'

const BOOKINGS = Number(process.env.BENCH_BOOKINGS ?? 50_000_000)
const SETTINGS = {
  shared_buffers: '1GB',
  maintenance_work_mem: '1GB',
  max_wal_size: '16GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  fsync: 'off',
  // Else what a checkpoint lets be written again would stand for what a booking writes.
  full_page_writes: 'off',
  autovacuum: 'off',
  jit: 'off',
}

const chosen = process.env.BENCH_LAYOUTS?.split(',') ?? LAYOUTS
const directory = await mkdtemp(join(process.env.BENCH_DIR ?? tmpdir(), 'berth-partitions-'))
const postgres = await startPostgres({ directory, settings: SETTINGS })
try {
  const database = connectDatabase(postgres.url)
  await migrateUp(database)
  const size = sizeOf(BOOKINGS)
  await createCompany(database, size)
  await database.destroy()
  for (const layout of LAYOUTS) if (chosen.includes(layout)) await measure(postgres.url, layout, size)
} finally {
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}

async function measure(url: string, layout: Layout, size: Size): Promise<void> {
  const backend = await Backend.connect(url)
  console.log(`\n## ${layout}`)
  try {
    await buildLayout(backend, layout, size)
    await measureSizes(backend)
    await measureReads(backend, size)
    await measureInserts(backend)
    await measureRemoval(backend, layout, size)
  } finally {
    await backend.client.end()
  }
}
