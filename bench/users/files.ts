// The same people in every form that the bench needs: a user list as csv and xlsx, and what `\copy` takes.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import exceljs from 'exceljs'

export type Person = { email: string; name: string; department: string; costCentre: string }

export type Lists = { number: number; csv: string; xlsx: string; copy: string }

export function person(number: number): Person {
  return {
    email: `person.number${number}@example.com`,
    name: `Person Number ${number}`,
    department: `Department ${number % 40}`,
    costCentre: String(10_000 + (number % 900)),
  }
}

const HEADER = ['email', 'name', 'extensionAttribute1', 'extensionAttribute2']

export async function writeLists(directory: string, number: number): Promise<Lists> {
  const lists = {
    number,
    csv: join(directory, `${number}.csv`),
    xlsx: join(directory, `${number}.xlsx`),
    copy: join(directory, `${number}.copy.csv`),
  }
  await writeLines(lists.csv, number, HEADER.join(','), (each) => Object.values(each).join(','))
  await writeLines(lists.copy, number, 'email,name,extension_attributes', ({ email, name, ...rest }) => {
    const attributes = JSON.stringify({
      extensionAttribute1: rest.department,
      extensionAttribute2: rest.costCentre,
    })
    return `${email},${name},"${attributes.replaceAll('"', '""')}"`
  })
  await writeSpreadsheet(lists.xlsx, number)
  return lists
}

async function writeLines(file: string, number: number, header: string, line: (each: Person) => string) {
  const output = createWriteStream(file)
  output.write(`${header}\n`)
  for (let each = 1; each <= number; each++)
    if (!output.write(`${line(person(each))}\n`)) await once(output, 'drain')
  output.end()
  await once(output, 'close')
}

// By exceljs, in the form that spreadsheet programs write: with shared strings.
async function writeSpreadsheet(file: string, number: number) {
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ filename: file, useSharedStrings: true })
  const sheet = workbook.addWorksheet('People')
  sheet.addRow(HEADER).commit()
  for (let each = 1; each <= number; each++) sheet.addRow(Object.values(person(each))).commit()
  sheet.commit()
  await workbook.commit()
}
