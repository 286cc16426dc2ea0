// Measures imports, and compares them with `\copy` of the same rows (the limit L), with exceljs reading the file, and
// with a naive loop.
import { createReadStream } from 'node:fs'
import exceljs from 'exceljs'
import { measureCpuUs } from '../stage/process-table.ts'
import { createExampleUser, type ImportFiles } from './files.ts'
import { expectCount, importUsers } from './requests.ts'
import { type ImportBenchStage, resetUsers, runPsql } from './stage.ts'

// The number of rows for the naive loop, which would take minutes for all rows. The time can be extrapolated,
// because each row takes the same time.
const LOOPED_ROW_COUNT = 5_000

export type ImportTimes = {
  copy: number
  csv: number
  again: number
  xlsx: number
  exceljs: number
  /** The time of the naive loop for all rows, extrapolated from some of them. */
  loop: number
  /** CPU time of a csv import. The worker's CPU time includes the process that reads the file. */
  gatewayCpu: number
  workerCpu: number
  postgresCpu: number
}

export async function measureImports(stage: ImportBenchStage, files: ImportFiles): Promise<ImportTimes> {
  const copy = await timeCopy(stage, files)
  const { csv, ...cpu } = await timeCsv(stage, files)
  return {
    copy,
    csv,
    ...cpu,
    again: await timeRepeatedImport(stage, files),
    exceljs: await measureMs(() => readWithExceljs(files)),
    xlsx: await timeImport(stage, files.xlsx, files.number),
    loop: await timeLoop(stage, files.number),
  }
}

async function timeCopy(stage: ImportBenchStage, { copy }: ImportFiles): Promise<number> {
  await stage.database.raw('DROP TABLE IF EXISTS copied_users')
  await stage.database.raw('CREATE TABLE copied_users (LIKE users INCLUDING ALL)')
  await stage.database.raw('CHECKPOINT')
  const columns = 'copied_users (email, name, extension_attributes)'
  const tookMs = await measureMs(() =>
    runPsql(stage, `\\copy ${columns} FROM '${copy}' WITH (FORMAT csv, HEADER)`),
  )
  await stage.database.raw('DROP TABLE copied_users')
  return tookMs
}

async function timeImport(stage: ImportBenchStage, file: string, number: number): Promise<number> {
  await resetUsers(stage)
  return measureMs(() => importAll(stage, file, number))
}

async function importAll(stage: ImportBenchStage, file: string, number: number) {
  const { created } = await importUsers(stage, file)
  expectCount('created', created.length, number)
}

async function timeCsv(stage: ImportBenchStage, { csv, number }: ImportFiles) {
  await resetUsers(stage)
  const before = measureCpu(stage)
  const tookMs = await measureMs(() => importAll(stage, csv, number))
  const after = measureCpu(stage)
  return {
    csv: tookMs,
    gatewayCpu: after.gateway - before.gateway,
    workerCpu: after.worker - before.worker,
    postgresCpu: after.postgres - before.postgres,
  }
}

const measureCpu = ({ gateway, filesWorker, postgres }: ImportBenchStage) => ({
  gateway: measureCpuUs([gateway.pid]) / 1_000,
  worker: measureCpuUs([filesWorker.pid]) / 1_000,
  postgres: measureCpuUs([postgres.pid]) / 1_000,
})

async function timeRepeatedImport(stage: ImportBenchStage, { csv, number }: ImportFiles): Promise<number> {
  await stage.database.raw('CHECKPOINT')
  return measureMs(async () => {
    const { skipped } = await importUsers(stage, csv, { update: 'true' })
    expectCount('skipped', skipped.length, number)
  })
}

async function readWithExceljs({ xlsx, number }: ImportFiles): Promise<void> {
  let rows = 0
  const workbook = new exceljs.stream.xlsx.WorkbookReader(createReadStream(xlsx), { sharedStrings: 'cache' })
  for await (const sheet of workbook) for await (const row of sheet) if (Array.isArray(row.values)) rows++
  expectCount('rows read by exceljs', rows, number + 1)
}

async function timeLoop(stage: ImportBenchStage, number: number): Promise<number> {
  await resetUsers(stage)
  const tookMs = await measureMs(async () => {
    for (let each = 1; each <= LOOPED_ROW_COUNT; each++) {
      const { email, name, department, costCentre } = createExampleUser(each)
      const attributes = JSON.stringify({
        extensionAttribute1: department,
        extensionAttribute2: costCentre,
      })
      await stage
        .database('users')
        .insert({ email, name, extension_attributes: attributes })
        .onConflict(stage.database.raw('(lower(email))'))
        .merge(['name', 'extension_attributes'])
    }
  })
  return (tookMs / LOOPED_ROW_COUNT) * number
}

export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
