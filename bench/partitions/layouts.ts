// The layouts of `bookings`: one table as the migrations make it, partitions by the month of the start, and partitions by
// bookable. Each is filled without indexes first, which are built after.
import type pg from 'pg'
import type { Backend } from './backend.ts'
import { allBookings, FIRST_MONDAY, type Size } from './company.ts'

export const LAYOUTS = ['one table', 'by month', 'by bookable'] as const
export type Layout = (typeof LAYOUTS)[number]

const HASH_PARTITIONS = 16

type Definition = { name: string; sql: string }

/** Replaces the table `bookings`. Says how long each step takes. */
export async function buildLayout(backend: Backend, layout: Layout, size: Size): Promise<void> {
  const { client } = backend
  await keepDefinitions(client)
  await client.query('DROP TABLE bookings')
  await client.query(
    `CREATE TABLE bookings (LIKE bookings_draft INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING IDENTITY INCLUDING STORAGE)
     ${PARTITIONED_BY[layout]}`,
  )
  await createPartitions(client, layout, size)
  await backend.report(
    'filled',
    `INSERT INTO bookings (bookable_id, user_id, during, exclusive) ${allBookings(size)}`,
  )
  for (const { name, sql } of await definitionsFor(client, layout)) await backend.report(name, sql)
  await backend.report('vacuumed and analyzed', 'VACUUM (ANALYZE) bookings')
}

const PARTITIONED_BY: Record<Layout, string> = {
  'one table': '',
  // By the very expression that the statements ask about, so that they need no change.
  'by month': 'PARTITION BY RANGE (lower(during))',
  'by bookable': 'PARTITION BY HASH (bookable_id)',
}

// An empty copy has all that the migrations say of the table; it stays beside what is built.
async function keepDefinitions(client: pg.Client): Promise<void> {
  const { rows } = await client.query("SELECT to_regclass('bookings_draft') AS draft")
  if (rows[0]?.draft) return
  await client.query('CREATE TABLE bookings_draft (LIKE bookings INCLUDING ALL)')
  await client.query(`
    CREATE TABLE bookings_definitions AS
    SELECT 1 AS ordinal, conname AS name, contype::text AS kind, pg_get_constraintdef(oid) AS sql
    FROM pg_constraint WHERE conrelid = 'bookings'::regclass AND contype IN ('p', 'x', 'f')
    UNION ALL
    SELECT 2, relname, 'i', pg_get_indexdef(indexrelid)
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indrelid = 'bookings'::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
    ORDER BY ordinal, name`)
}

async function createPartitions(client: pg.Client, layout: Layout, size: Size): Promise<void> {
  if (layout === 'by bookable') {
    for (let number = 0; number < HASH_PARTITIONS; number++)
      await client.query(
        `CREATE TABLE bookings_${number} PARTITION OF bookings FOR VALUES WITH (MODULUS ${HASH_PARTITIONS}, REMAINDER ${number})`,
      )
  }
  if (layout === 'by month') {
    const { rows } = await client.query<{ name: string; from: string; to: string }>(
      `SELECT to_char(month, '"bookings_"YYYY_MM') AS name, month::text AS from, (month + interval '1 month')::text AS to
       FROM generate_series(date_trunc('month', ${FIRST_MONDAY(size)}),
         ${FIRST_MONDAY(size)} + interval '${size.weeks + 8} weeks', interval '1 month') AS month`,
    )
    for (const { name, from, to } of rows)
      await client.query(
        `CREATE TABLE ${name} PARTITION OF bookings FOR VALUES FROM ('${from}') TO ('${to}')`,
      )
    await client.query('CREATE TABLE bookings_other PARTITION OF bookings DEFAULT')
  }
}

// By month no key and no exclusion constraint may stand on the whole table, because its key is an expression: each
// partition has its own, and knows nothing of the others. By bookable both may, with the bookable in them.
async function definitionsFor(client: pg.Client, layout: Layout): Promise<Definition[]> {
  const { rows } = await client.query<Definition & { kind: string }>(
    'SELECT * FROM bookings_definitions ORDER BY ordinal, name',
  )
  const { rows: partitions } = await client.query<{ name: string }>(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'bookings'::regclass",
  )
  return rows.flatMap(({ name, kind, sql }) => {
    if (kind === 'i') return [{ name, sql }]
    if (layout === 'by month' && kind !== 'f')
      return [{ name, sql: partitions.map((each) => `ALTER TABLE ${each.name} ADD ${sql}`).join(';') }]
    if (layout === 'by bookable' && kind === 'p')
      return [
        { name, sql: 'ALTER TABLE bookings ADD CONSTRAINT bookings__key PRIMARY KEY (id, bookable_id)' },
      ]
    return [{ name, sql: `ALTER TABLE bookings ADD CONSTRAINT ${name} ${sql}` }]
  })
}
