// Measures the cost of user imports and exports: compares imports with `psql \copy`, exports with `\copy … TO` and
// exceljs's writer, and the memory of every process. Everything alternates in one run, and medians are compared. npm
// run bench measures bookings during an import. BENCH_ROUNDS (5) and BENCH_USERS (100,000) change the duration;
// BENCH_PARTS selects parts.
import { guardFormulaSql, selectSql } from '../workers/jobs/exports/copied-tables.ts'
import { createUsersTable, findAttributesInUse } from '../workers/jobs/exports/users.ts'
import { computeQuantile, formatMs, printTable } from './measure.ts'
import { measureResidentMb } from './stage/process-table.ts'
import { startServers } from './stage/servers.ts'
import { type ExportTimes, measureExports } from './users/exports.ts'
import { type ImportFiles, writeImportFiles } from './users/files.ts'
import { type ImportTimes, measureImports } from './users/imports.ts'
import { measurePeakMb } from './users/memory.ts'
import { expectCount, exportUsers, importUsers } from './users/requests.ts'
import { type ImportBenchStage, openImportBenchStage, resetUsers } from './users/stage.ts'

const ROUND_COUNT = Number(process.env.BENCH_ROUNDS ?? 5)
const USER_COUNT = Number(process.env.BENCH_USERS ?? 100_000)
const PARTS = (process.env.BENCH_PARTS ?? 'imports,exports,memory').split(',')

const servers = await startServers()
const stage = await openImportBenchStage(servers, 'users')
try {
  const files = await writeImportFiles(stage.directory, USER_COUNT)
  await importUsers(stage, files.csv) // Excludes from the figures what every process loads only once.
  if (PARTS.includes('imports')) await compareImports(files)
  if (PARTS.includes('exports')) await compareExports(files)
  if (PARTS.includes('memory')) await compareMemory()
} finally {
  await stage.stop()
  await servers.stop()
}

async function compareImports(files: ImportFiles) {
  const rounds: ImportTimes[] = []
  for (let round = 0; round < ROUND_COUNT; round++) rounds.push(await measureImports(stage, files))
  const { copy, csv, again, xlsx, exceljs, loop, ...cpu } = computeMedians(rounds)
  const beyondReading = (xlsx - exceljs) / copy
  printTable(
    [`${USER_COUNT} users`, 'median ms', 'compared', 'promised'],
    [
      ['L: psql \\copy into a table like users', formatMs(copy), '1.00 L', ''],
      ['import of csv, all new', formatMs(csv), `${(csv / copy).toFixed(2)} L`, '3.5 L'],
      [
        'import of csv with update, all as before',
        formatMs(again),
        `${(again / copy).toFixed(2)} L`,
        '3.5 L',
      ],
      ['exceljs alone reading the xlsx', formatMs(exceljs), `${(exceljs / copy).toFixed(2)} L`, ''],
      ['import of xlsx, all new', formatMs(xlsx), `exceljs + ${beyondReading.toFixed(2)} L`, 'exceljs + 3 L'],
      ['one upsert a row by knex', formatMs(loop), `${(loop / csv).toFixed(1)} times the import`, '20 times'],
    ],
  )
  const { gatewayCpu, workerCpu, postgresCpu } = cpu
  console.log(
    `\nCPU of an import of csv, all new: gateway ${formatMs(gatewayCpu)} ms, worker and reader ${formatMs(workerCpu)}, Postgres ${formatMs(postgresCpu)}`,
  )
}

async function compareExports(files: ImportFiles) {
  await resetUsers(stage)
  await importUsers(stage, files.csv)
  const attributes = await stage.database.transaction(findAttributesInUse)
  const query = selectSql(createUsersTable(attributes), guardFormulaSql)
  // knex would treat a question mark in the query as a parameter.
  const { rows } = await stage.database.raw(query.replaceAll('?', '\\?'))
  const cells = rows.map((row: Record<string, string | null>) => Object.values(row))
  const rounds: ExportTimes[] = []
  for (let round = 0; round < ROUND_COUNT; round++) rounds.push(await measureExports(stage, query, cells))
  const { copy, csv, exceljs, xlsx } = computeMedians(rounds)
  printTable(
    [`${USER_COUNT} users`, 'median ms', 'compared', 'promised'],
    [
      ['psql \\copy (the same query) TO csv', formatMs(copy), '1.00', ''],
      ['export as csv', formatMs(csv), `${(csv / copy).toFixed(2)} times`, '1.5 times'],
      ['exceljs’s streaming writer, from memory', formatMs(exceljs), '1.00', ''],
      ['export as xlsx', formatMs(xlsx), `${(xlsx / exceljs).toFixed(2)} times`, '1.3 times'],
    ],
  )
}

async function compareMemory() {
  const long = await writeImportFiles(stage.directory, 200_000)
  const rows: string[][] = []
  for (const file of [long.csv, long.xlsx]) {
    await resetUsers(stage)
    rows.push(
      await measureMemory(`import of 200,000 rows, ${file.split('.').pop()}`, () => importUsers(stage, file)),
    )
  }
  for (const number of [10_000, 500_000]) {
    await fillUsers(stage, number)
    for (const format of ['csv', 'xlsx'] as const)
      rows.push(await measureMemory(`export of ${number} users, ${format}`, () => exportUsers(stage, format)))
  }
  printTable(
    ['memory', 'gateway above idle, MB (promised: 40)', 'worker and child, MB (promised: 300)'],
    rows,
  )
}

async function measureMemory(name: string, work: () => Promise<unknown>): Promise<string[]> {
  const idle = measureResidentMb(stage.gateway.pid)
  const doing = work()
  const [gateway, worker] = await Promise.all([
    measurePeakMb(stage.gateway.pid, doing),
    measurePeakMb(stage.filesWorker.pid, doing),
  ])
  return [name, (gateway - idle).toFixed(0), worker.toFixed(0)]
}

async function fillUsers({ database }: ImportBenchStage, number: number) {
  await resetUsers(stage)
  const { rowCount } = await database.raw(
    `INSERT INTO users (email, name, extension_attributes)
     SELECT 'person' || n || '@example.com', 'Person Number ' || n, jsonb_build_object('extensionAttribute1', 'D' || n % 40)
     FROM generate_series(1, ?) AS n`,
    [number],
  )
  expectCount('users', rowCount, number)
  await database.raw('ANALYZE users')
}

function computeMedians<Times extends Record<string, number>>(rounds: Times[]): Times {
  const names = Object.keys(rounds[0] ?? {})
  return Object.fromEntries(
    names.map((name) => [
      name,
      computeQuantile(
        rounds.map((round) => round[name] ?? Number.NaN),
        0.5,
      ),
    ]),
  ) as Times
}
