// Exports, compared with psql's `\copy … TO` and exceljs's streaming writer fed from memory.
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import exceljs from 'exceljs'
import { time } from './imports.ts'
import { exportUsers } from './requests.ts'
import { psql, type Stage } from './stage.ts'

export type ExportTimes = { copy: number; csv: number; exceljs: number; xlsx: number }

export async function measureExports(stage: Stage, query: string, rows: string[][]): Promise<ExportTimes> {
  const file = join(stage.directory, 'copied.csv')
  const oneLine = query.replaceAll(/\s+/g, ' ')
  return {
    copy: await time(() => psql(stage, `\\copy (${oneLine}) TO '${file}' WITH (FORMAT csv, HEADER)`)),
    csv: await time(() => exportUsers(stage, 'csv')),
    exceljs: await time(() => writeWithExceljs(stage, rows)),
    xlsx: await time(() => exportUsers(stage, 'xlsx')),
  }
}

async function writeWithExceljs(stage: Stage, rows: string[][]): Promise<void> {
  const stream = createWriteStream(join(stage.directory, 'written.xlsx'))
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ stream, useSharedStrings: false })
  const sheet = workbook.addWorksheet('Users')
  for (const row of rows) sheet.addRow(row).commit()
  sheet.commit()
  await workbook.commit()
}
