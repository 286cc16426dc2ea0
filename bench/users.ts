// The cost of user imports and exports: imports compared with `psql \copy`, exports with `\copy … TO` and
// exceljs's writer, the memory of every process, and bookings during an import. Everything alternates in one
// run; medians are compared.
//
// BENCH_ROUNDS (5), BENCH_USERS (100,000) and BENCH_BOOKINGS (1,000 a round, each with and without imports)
// change the duration; BENCH_PARTS selects parts.
import { guardFormula, selectSql } from '../workers/jobs/exports/copied-tables.ts'
import { activeUsers, attributesInUse } from '../workers/jobs/exports/users.ts'
import { ms, printTable, quantile } from './measure.ts'
import { residentMb } from './stage/process-table.ts'
import { type ExportTimes, measureExports } from './users/exports.ts'
import { type ImportFiles, writeImportFiles } from './users/files.ts'
import { type ImportTimes, measureImports } from './users/imports.ts'
import { measureLatency } from './users/latency.ts'
import { peakMb } from './users/memory.ts'
import { expectCount, exportUsers, importUsers } from './users/requests.ts'
import { emptyUsers, openStage, type Stage } from './users/stage.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const USERS = Number(process.env.BENCH_USERS ?? 100_000)
const LATENCY_ROUNDS = Math.min(ROUNDS, 3)
const BOOKINGS = Number(process.env.BENCH_BOOKINGS ?? 1_000)
const WARM_UP_BOOKINGS = 500
const PARTS = (process.env.BENCH_PARTS ?? 'imports,exports,latency,memory').split(',')

const stage = await openStage()
try {
  const files = await writeImportFiles(stage.directory, USERS)
  await importUsers(stage, files.csv) // Excludes what every process loads once.
  if (PARTS.includes('imports')) await compareImports(files)
  if (PARTS.includes('exports')) await compareExports(files)
  if (PARTS.includes('latency')) await compareLatency(files)
  if (PARTS.includes('memory')) await compareMemory()
} finally {
  await stage.stop()
}

async function compareImports(files: ImportFiles) {
  const rounds: ImportTimes[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureImports(stage, files))
  const { copy, csv, again, xlsx, exceljs, loop, ...cpu } = mediansOf(rounds)
  const beyondReading = (xlsx - exceljs) / copy
  printTable(
    [`${USERS} users`, 'median ms', 'compared', 'promised'],
    [
      ['L: psql \\copy into a table like users', ms(copy), '1.00 L', ''],
      ['import of csv, all new', ms(csv), `${(csv / copy).toFixed(2)} L`, '3.5 L'],
      ['import of csv with update, all as before', ms(again), `${(again / copy).toFixed(2)} L`, '3.5 L'],
      ['exceljs alone reading the xlsx', ms(exceljs), `${(exceljs / copy).toFixed(2)} L`, ''],
      ['import of xlsx, all new', ms(xlsx), `exceljs + ${beyondReading.toFixed(2)} L`, 'exceljs + 3 L'],
      ['one upsert a row by knex', ms(loop), `${(loop / csv).toFixed(1)} times the import`, '20 times'],
    ],
  )
  const { gatewayCpu, workerCpu, postgresCpu } = cpu
  console.log(
    `\nCPU of an import of csv, all new: gateway ${ms(gatewayCpu)} ms, worker and reader ${ms(workerCpu)}, Postgres ${ms(postgresCpu)}`,
  )
}

async function compareExports(files: ImportFiles) {
  await emptyUsers(stage)
  await importUsers(stage, files.csv)
  const attributes = await stage.database.transaction(attributesInUse)
  const query = selectSql(activeUsers(attributes), guardFormula)
  // knex would take a question mark for a parameter.
  const { rows } = await stage.database.raw(query.replaceAll('?', '\\?'))
  const cells = rows.map((row: Record<string, string | null>) => Object.values(row))
  const rounds: ExportTimes[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureExports(stage, query, cells))
  const { copy, csv, exceljs, xlsx } = mediansOf(rounds)
  printTable(
    [`${USERS} users`, 'median ms', 'compared', 'promised'],
    [
      ['psql \\copy (the same query) TO csv', ms(copy), '1.00', ''],
      ['export as csv', ms(csv), `${(csv / copy).toFixed(2)} times`, '1.5 times'],
      ['exceljs’s streaming writer, from memory', ms(exceljs), '1.00', ''],
      ['export as xlsx', ms(xlsx), `${(xlsx / exceljs).toFixed(2)} times`, '1.3 times'],
    ],
  )
}

// A round is long enough for its own 99th percentile; the median of the rounds' ratios counts.
async function compareLatency(files: ImportFiles) {
  const ratios: Array<[number, number]> = []
  const rows: Array<Array<string | number>> = []
  const row = (name: string, times: number[], ratio = '') => [
    name,
    times.length,
    ms(quantile(times, 0.5)),
    ms(quantile(times, 0.95)),
    ms(quantile(times, 0.99)),
    ratio,
  ]
  // Warms up until Postgres recycles its WAL files: creating one delays commits.
  await measureLatency(stage, files.csv, WARM_UP_BOOKINGS)
  for (let round = 1; round <= LATENCY_ROUNDS; round++) {
    const { calm, importing } = await measureLatency(stage, files.csv, BOOKINGS)
    const times = (part: number) => quantile(importing, part) / quantile(calm, part)
    ratios.push([times(0.5), times(0.99)])
    rows.push(
      row(`${round}: in calm`, calm),
      row(
        `${round}: while ${USERS} users are imported`,
        importing,
        `${times(0.5).toFixed(2)}, ${times(0.99).toFixed(2)}`,
      ),
    )
  }
  printTable(['a booking', 'number', 'median ms', '95 % ms', '99 % ms', 'median and 99 %, times calm'], rows)
  const medianOf = (which: 0 | 1) =>
    quantile(
      ratios.map((each) => each[which]),
      0.5,
    ).toFixed(2)
  console.log(
    `\nMedian of ${LATENCY_ROUNDS} rounds: the median ${medianOf(0)} times, the 99 % ${medianOf(1)} times (promised: 2)`,
  )
}

async function compareMemory() {
  const long = await writeImportFiles(stage.directory, 200_000)
  const rows: string[][] = []
  for (const file of [long.csv, long.xlsx]) {
    await emptyUsers(stage)
    rows.push(
      await memoryOf(`import of 200,000 rows, ${file.split('.').pop()}`, () => importUsers(stage, file)),
    )
  }
  for (const number of [10_000, 500_000]) {
    await fillUsers(stage, number)
    for (const format of ['csv', 'xlsx'] as const)
      rows.push(await memoryOf(`export of ${number} users, ${format}`, () => exportUsers(stage, format)))
  }
  printTable(
    ['memory', 'gateway above idle, MB (promised: 40)', 'worker and child, MB (promised: 300)'],
    rows,
  )
}

async function memoryOf(name: string, work: () => Promise<unknown>): Promise<string[]> {
  const idle = residentMb(stage.gateway.pid)
  const doing = work()
  const [gateway, worker] = await Promise.all([
    peakMb(stage.gateway.pid, doing),
    peakMb(stage.filesWorker.pid, doing),
  ])
  return [name, (gateway - idle).toFixed(0), worker.toFixed(0)]
}

async function fillUsers({ database }: Stage, number: number) {
  await emptyUsers(stage)
  const { rowCount } = await database.raw(
    `INSERT INTO users (email, name, extension_attributes)
     SELECT 'person' || n || '@example.com', 'Person Number ' || n, jsonb_build_object('extensionAttribute1', 'D' || n % 40)
     FROM generate_series(1, ?) AS n`,
    [number],
  )
  expectCount('users', rowCount, number)
  await database.raw('ANALYZE users')
}

function mediansOf<Times extends Record<string, number>>(rounds: Times[]): Times {
  const names = Object.keys(rounds[0] ?? {})
  return Object.fromEntries(
    names.map((name) => [
      name,
      quantile(
        rounds.map((round) => round[name] ?? Number.NaN),
        0.5,
      ),
    ]),
  ) as Times
}
