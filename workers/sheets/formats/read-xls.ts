// Reads an xls file (Excel 5 to 2003) with SheetJS, which loads the whole sheet into memory. Such a sheet has at most
// 65,536 rows.
import type { CellObject, WorkBook } from '@e965/xlsx'
import { message } from '../../../shared/messages/message.ts'
import { type CellFormat, formatNumber, parseFormat } from './cell-text.ts'
import { createFileRefusal, RowCollector, type Sheet } from './sheet.ts'
import type { SpooledFile } from './spooled-file.ts'

const BATCH_ROWS = 1_000

export async function* readXls(file: SpooledFile, sheet: number): Sheet {
  const workbook = await parseWorkbook(await readWholeFile(file))
  const table = readVisibleTable(workbook, sheet)
  const is1904 = workbook.Workbook?.WBProps?.date1904 === true
  const toText = createCellReader(is1904)
  const rows = new RowCollector()
  for (let index = 0; index < table.length; index++) {
    rows.start(index + 1)
    for (const [column, cell] of (table[index] ?? []).entries()) if (cell) rows.setCell(column, toText(cell))
    rows.end()
    if (index % BATCH_ROWS === 0) yield rows.take()
  }
  yield rows.take()
}

type TableRow = (CellObject | undefined)[] | undefined

async function readWholeFile(file: SpooledFile): Promise<Buffer> {
  const bytes = Buffer.alloc(file.sizeBytes)
  await file.handle.read(bytes, 0, bytes.length, 0)
  return bytes
}

async function parseWorkbook(bytes: Buffer): Promise<WorkBook> {
  // SheetJS is loaded on demand, because it is a megabyte of code.
  const { CFB, read } = await import('@e965/xlsx')
  const names: string[] = CFB.read(bytes, { type: 'buffer' }).FullPaths
  const has = (name: RegExp) => names.some((path) => name.test(path))
  if (has(/\/EncryptedPackage$/i)) throw createProtectedFileRefusal()
  if (!has(/\/(Workbook|Book)$/i)) {
    throw createFileRefusal(
      message`The file is an old Office document, but not a spreadsheet. Send csv, txt, ods, xls or xlsx.`,
    )
  }
  try {
    return read(bytes, {
      type: 'buffer',
      dense: true,
      cellNF: true,
      cellText: false,
      cellHTML: false,
      cellFormula: false,
    })
  } catch (error) {
    // SheetJS reports password protection only in the text of the error.
    if (error instanceof Error && /password/i.test(error.message)) throw createProtectedFileRefusal()
    throw error
  }
}

function createProtectedFileRefusal() {
  return createFileRefusal(message`The file is protected by a password. Save it without a password.`)
}

const listVisibleSheets = ({ SheetNames, Workbook }: WorkBook) =>
  SheetNames.filter((_, index) => !Workbook?.Sheets?.[index]?.Hidden)

export const listXlsSheets = async (file: SpooledFile): Promise<string[]> =>
  listVisibleSheets(await parseWorkbook(await readWholeFile(file)))

function readVisibleTable(workbook: WorkBook, index: number): TableRow[] {
  const sheet = workbook.Sheets[listVisibleSheets(workbook)[index] ?? '']
  if (!sheet || sheet['!type'] === 'chart') throw createFileRefusal(message`The file has no visible sheet.`)
  return (sheet['!data'] ?? []) as TableRow[]
}

function createCellReader(is1904: boolean) {
  const formats = new Map<string, CellFormat>()
  const formatOf = (code: string) => {
    const format = formats.get(code) ?? parseFormat(code)
    formats.set(code, format)
    return format
  }
  return ({ t, v, w, z }: CellObject): string => {
    if (t === 'n' && typeof v === 'number') return formatNumber(v, formatOf(String(z ?? 'General')), is1904)
    if (t === 'b') return v ? 'TRUE' : 'FALSE'
    if (t === 'e') return w ?? ''
    return typeof v === 'string' ? v : ''
  }
}
