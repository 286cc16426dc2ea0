// Measures exports, and compares them with psql's `\copy … TO` and exceljs's streaming writer fed from memory.
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import exceljs from 'exceljs'
import { measureMs } from './imports.ts'
import { exportUsers } from './requests.ts'
import { type ImportBenchStage, runPsql } from './stage.ts'

export type ExportTimes = { copy: number; csv: number; exceljs: number; xlsx: number }

export async function measureExports(
  stage: ImportBenchStage,
  query: string,
  rows: string[][],
): Promise<ExportTimes> {
  const file = join(stage.directory, 'copied.csv')
  const oneLine = query.replaceAll(/\s+/g, ' ')
  return {
    copy: await measureMs(() => runPsql(stage, `\\copy (${oneLine}) TO '${file}' WITH (FORMAT csv, HEADER)`)),
    csv: await measureMs(() => exportUsers(stage, 'csv')),
    exceljs: await measureMs(() => writeWithExceljs(stage, rows)),
    xlsx: await measureMs(() => exportUsers(stage, 'xlsx')),
  }
}

async function writeWithExceljs(stage: ImportBenchStage, rows: string[][]): Promise<void> {
  const stream = createWriteStream(join(stage.directory, 'written.xlsx'))
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ stream, useSharedStrings: false })
  const sheet = workbook.addWorksheet('Users')
  for (const row of rows) sheet.addRow(row).commit()
  sheet.commit()
  await workbook.commit()
}
