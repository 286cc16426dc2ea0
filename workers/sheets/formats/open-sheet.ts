// Detects the format of a file by its content, not its name, and opens the matching reader.
import { type Message, message } from '../../../shared/messages/message.ts'
import { type NameColumns, readCsv } from './read-csv.ts'
import { listXlsSheets, readXls } from './read-xls.ts'
import { isCompoundFile, refuseFile, type Sheet } from './sheet.ts'
import type { SpooledFile } from './spooled-file.ts'

// The second one is an empty archive.
const ZIPS = ['504b0304', '504b0506']

const OTHERS: [RegExp, Message][] = [
  [/^%PDF-/, message`The file is a PDF. Send csv, txt, ods, xls or xlsx.`],
  [/^\{\\rtf/, message`The file is a text document (RTF). Send csv, txt, ods, xls or xlsx.`],
  [
    /^<(!doctype\s+html|html|table|head|body|meta)\b/i,
    message`The file is an HTML page. Send csv, txt, ods, xls or xlsx.`,
  ],
  [/^<[!?a-z]/i, message`The file is an XML document. Send csv, txt, ods, xls or xlsx.`],
]

/** `sheet` counts the visible sheets from zero. The headings of a foreign file may be unknown. */
type SheetChoice = { sheet?: number; isForeign?: boolean }

const isPacked = ({ head }: SpooledFile) => ZIPS.includes(head.toString('hex', 0, 4))

/** The known columns help to detect the delimiter of a csv. */
export async function openSheet(
  file: SpooledFile,
  nameColumns: NameColumns,
  { sheet = 0, isForeign = false }: SheetChoice = {},
): Promise<Sheet> {
  const { head } = file
  if (isPacked(file)) return openPacked(file, sheet)
  if (isCompoundFile(head)) return stripFormulaGuards(readXls(file, sheet))
  const start = head
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
  const other = OTHERS.find(([pattern]) => pattern.test(start))
  if (other) throw refuseFile(other[1])
  return stripFormulaGuards(readCsv(file, nameColumns, isForeign))
}

/** The names of the visible sheets, of a file that can be opened. */
export async function listSheets(file: SpooledFile): Promise<string[]> {
  if (isCompoundFile(file.head)) return listXlsSheets(file)
  if (!isPacked(file)) return ['']
  const [{ openArchive }, { isOds, listOdsSheets }, { findWorkbook, readWorkbook }] = await Promise.all([
    import('./archive.ts'),
    import('./read-ods.ts'),
    import('./xlsx-parts.ts'),
  ])
  const archive = await openArchive(file)
  if (await isOds(archive)) return listOdsSheets(archive)
  const workbookPath = await findWorkbook(archive)
  return workbookPath === undefined ? [] : (await readWorkbook(archive, workbookPath)).sheets
}

// Loads the archive readers only for archives: each file has its own process, and most are csv.
async function openPacked(file: SpooledFile, sheet: number): Promise<Sheet> {
  const [{ openArchive }, { isOds, readOds }, { readXlsx }, { findWorkbook }] = await Promise.all([
    import('./archive.ts'),
    import('./read-ods.ts'),
    import('./read-xlsx.ts'),
    import('./xlsx-parts.ts'),
  ])
  const archive = await openArchive(file)
  if (await isOds(archive)) return stripFormulaGuards(readOds(archive, sheet))
  const workbookPath = await findWorkbook(archive)
  if (workbookPath !== undefined) return readXlsx(archive, workbookPath, sheet)
  throw refuseFile(message`The file is an archive, but not a spreadsheet. Send csv, txt, ods, xls or xlsx.`)
}

// Removes the apostrophe that the csv export puts before a cell that a spreadsheet would take for a formula;
// see workers/jobs/exports/copied-tables.ts. An ods or xls saved from such a csv has it too.
const GUARDED_FORMULA = /^'+[=+\-@\t\r]/

async function* stripFormulaGuards(sheet: Sheet): Sheet {
  const strip = (cell: string | undefined) =>
    cell !== undefined && GUARDED_FORMULA.test(cell) ? cell.slice(1) : cell
  for await (const rows of sheet) yield rows.map(({ number, cells }) => ({ number, cells: cells.map(strip) }))
}
