// Imports, compared with `\copy` of the same rows (the limit L), exceljs reading the file, and a naive loop.
import { createReadStream } from 'node:fs'
import exceljs from 'exceljs'
import { cpuUsOf } from '../stage/process-table.ts'
import { exampleUser, type ImportFiles } from './files.ts'
import { expectCount, importUsers } from './requests.ts'
import { emptyUsers, psql, type Stage } from './stage.ts'

// The loop would take minutes for all rows; each row costs the same.
const LOOPED = 5_000

export type ImportTimes = {
  copy: number
  csv: number
  again: number
  xlsx: number
  exceljs: number
  /** For all rows, extrapolated from some. */
  loop: number
  /** CPU time of a csv import. The worker's includes the process that reads the file. */
  gatewayCpu: number
  workerCpu: number
  postgresCpu: number
}

export async function measureImports(stage: Stage, files: ImportFiles): Promise<ImportTimes> {
  const copy = await timeCopy(stage, files)
  const { csv, ...cpu } = await timeCsv(stage, files)
  return {
    copy,
    csv,
    ...cpu,
    again: await timeAgain(stage, files),
    exceljs: await time(() => readWithExceljs(files)),
    xlsx: await timeImport(stage, files.xlsx, files.number),
    loop: await timeLoop(stage, files.number),
  }
}

async function timeCopy(stage: Stage, { copy }: ImportFiles): Promise<number> {
  await stage.database.raw('DROP TABLE IF EXISTS copied_users')
  await stage.database.raw('CREATE TABLE copied_users (LIKE users INCLUDING ALL)')
  await stage.database.raw('CHECKPOINT')
  const columns = 'copied_users (email, name, extension_attributes)'
  const tookMs = await time(() => psql(stage, `\\copy ${columns} FROM '${copy}' WITH (FORMAT csv, HEADER)`))
  await stage.database.raw('DROP TABLE copied_users')
  return tookMs
}

async function timeImport(stage: Stage, file: string, number: number): Promise<number> {
  await emptyUsers(stage)
  return time(() => importAll(stage, file, number))
}

async function importAll(stage: Stage, file: string, number: number) {
  const { created } = await importUsers(stage, file)
  expectCount('created', created.length, number)
}

async function timeCsv(stage: Stage, { csv, number }: ImportFiles) {
  await emptyUsers(stage)
  const before = cpuOf(stage)
  const tookMs = await time(() => importAll(stage, csv, number))
  const after = cpuOf(stage)
  return {
    csv: tookMs,
    gatewayCpu: after.gateway - before.gateway,
    workerCpu: after.worker - before.worker,
    postgresCpu: after.postgres - before.postgres,
  }
}

const cpuOf = ({ gateway, filesWorker, postgres }: Stage) => ({
  gateway: cpuUsOf([gateway.pid]) / 1_000,
  worker: cpuUsOf([filesWorker.pid]) / 1_000,
  postgres: cpuUsOf([postgres.pid]) / 1_000,
})

async function timeAgain(stage: Stage, { csv, number }: ImportFiles): Promise<number> {
  await stage.database.raw('CHECKPOINT')
  return time(async () => {
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

async function timeLoop(stage: Stage, number: number): Promise<number> {
  await emptyUsers(stage)
  const tookMs = await time(async () => {
    for (let each = 1; each <= LOOPED; each++) {
      const { email, name, department, costCentre } = exampleUser(each)
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
  return (tookMs / LOOPED) * number
}

export async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
