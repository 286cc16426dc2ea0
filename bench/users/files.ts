// Writes the same users in every format that the benchmark needs: import files as csv and xlsx, and a file for `\copy`.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import exceljs from 'exceljs'

type ExampleUser = { email: string; name: string; department: string; costCentre: string }

export type ImportFiles = { number: number; csv: string; xlsx: string; copy: string }

export function createExampleUser(number: number): ExampleUser {
  return {
    email: `person.number${number}@example.com`,
    name: `Person Number ${number}`,
    department: `Department ${number % 40}`,
    costCentre: String(10_000 + (number % 900)),
  }
}

const HEADER = ['email', 'name', 'extensionAttribute1', 'extensionAttribute2']

export async function writeImportFiles(directory: string, number: number): Promise<ImportFiles> {
  const files = {
    number,
    csv: join(directory, `${number}.csv`),
    xlsx: join(directory, `${number}.xlsx`),
    copy: join(directory, `${number}.copy.csv`),
  }
  await writeLines(files.csv, number, HEADER.join(','), (each) => Object.values(each).join(','))
  await writeLines(files.copy, number, 'email,name,extension_attributes', ({ email, name, ...rest }) => {
    const attributes = JSON.stringify({
      extensionAttribute1: rest.department,
      extensionAttribute2: rest.costCentre,
    })
    return `${email},${name},"${attributes.replaceAll('"', '""')}"`
  })
  await writeSpreadsheet(files.xlsx, number)
  return files
}

async function writeLines(
  file: string,
  count: number,
  header: string,
  formatLine: (each: ExampleUser) => string,
) {
  const output = createWriteStream(file)
  output.write(`${header}\n`)
  for (let each = 1; each <= count; each++)
    if (!output.write(`${formatLine(createExampleUser(each))}\n`)) await once(output, 'drain')
  output.end()
  await once(output, 'close')
}

// Writes the file with exceljs, with shared strings, as a spreadsheet program would.
async function writeSpreadsheet(file: string, number: number) {
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ filename: file, useSharedStrings: true })
  const sheet = workbook.addWorksheet('People')
  sheet.addRow(HEADER).commit()
  for (let each = 1; each <= number; each++) sheet.addRow(Object.values(createExampleUser(each))).commit()
  sheet.commit()
  await workbook.commit()
}
