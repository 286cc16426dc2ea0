// The same users in every format that the benchmark needs: an import file as csv and xlsx, and for `\copy`.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import exceljs from 'exceljs'

type ExampleUser = { email: string; name: string; department: string; costCentre: string }

export type ImportFiles = { number: number; csv: string; xlsx: string; copy: string }

export function exampleUser(number: number): ExampleUser {
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

async function writeLines(file: string, number: number, header: string, line: (each: ExampleUser) => string) {
  const output = createWriteStream(file)
  output.write(`${header}\n`)
  for (let each = 1; each <= number; each++)
    if (!output.write(`${line(exampleUser(each))}\n`)) await once(output, 'drain')
  output.end()
  await once(output, 'close')
}

// Written with exceljs like a file of a spreadsheet program: with shared strings.
async function writeSpreadsheet(file: string, number: number) {
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ filename: file, useSharedStrings: true })
  const sheet = workbook.addWorksheet('People')
  sheet.addRow(HEADER).commit()
  for (let each = 1; each <= number; each++) sheet.addRow(Object.values(exampleUser(each))).commit()
  sheet.commit()
  await workbook.commit()
}
