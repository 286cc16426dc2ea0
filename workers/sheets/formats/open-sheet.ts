// Detects the format of a file by its content and not by its name, and opens the reader for this format.
import { type Message, message } from '../../../shared/messages/message.ts'
import { type NameColumns, readCsv } from './read-csv.ts'
import { listXlsSheets, readXls } from './read-xls.ts'
import { createFileRefusal, isCompoundFile, type Sheet } from './sheet.ts'
import type { SpooledFile } from './spooled-file.ts'

// The first bytes of a zip archive. The second value stands for an empty archive.
const ZIP_SIGNATURES = ['504b0304', '504b0506']

const REFUSED_FORMATS: [RegExp, Message][] = [
  [/^%PDF-/, message`The file is a PDF. Send csv, txt, ods, xls or xlsx.`],
  [/^\{\\rtf/, message`The file is a text document (RTF). Send csv, txt, ods, xls or xlsx.`],
  [
    /^<(!doctype\s+html|html|table|head|body|meta)\b/i,
    message`The file is an HTML page. Send csv, txt, ods, xls or xlsx.`,
  ],
  [/^<[!?a-z]/i, message`The file is an XML document. Send csv, txt, ods, xls or xlsx.`],
]

/**
 * The sheet to open. `sheet` is the index among the visible sheets, from zero. `isForeign` means that the headings may
 * be unknown.
 */
type SheetChoice = { sheet?: number; isForeign?: boolean }

const isArchive = ({ head }: SpooledFile) => ZIP_SIGNATURES.includes(head.toString('hex', 0, 4))

/** Opens a sheet. The known columns help to detect the delimiter of a CSV file. */
export async function openSheet(
  file: SpooledFile,
  nameColumns: NameColumns,
  { sheet = 0, isForeign = false }: SheetChoice = {},
): Promise<Sheet> {
  const { head } = file
  if (isArchive(file)) return openArchiveSheet(file, sheet)
  if (isCompoundFile(head)) return stripFormulaGuards(readXls(file, sheet))
  const start = head
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
  const other = REFUSED_FORMATS.find(([pattern]) => pattern.test(start))
  if (other) throw createFileRefusal(other[1])
  return stripFormulaGuards(readCsv(file, nameColumns, isForeign))
}

/** Returns the names of the visible sheets in a file. */
export async function listSheets(file: SpooledFile): Promise<string[]> {
  if (isCompoundFile(file.head)) return listXlsSheets(file)
  if (!isArchive(file)) return ['']
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

// Opens a sheet in an archive. Loads the archive readers only here, because each file is read by a process of its own
// and most files are CSV.
async function openArchiveSheet(file: SpooledFile, sheet: number): Promise<Sheet> {
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
  throw createFileRefusal(
    message`The file is an archive, but not a spreadsheet. Send csv, txt, ods, xls or xlsx.`,
  )
}

// Matches a cell with the apostrophe that the CSV export puts before a cell that a spreadsheet would treat as a formula
// (workers/jobs/exports/copied-tables.ts), so that the import can remove it. An ods or xls file that was saved from
// such a CSV has the apostrophe too.
const GUARDED_FORMULA_PATTERN = /^'+[=+\-@\t\r]/

async function* stripFormulaGuards(sheet: Sheet): Sheet {
  const strip = (cell: string | undefined) =>
    cell !== undefined && GUARDED_FORMULA_PATTERN.test(cell) ? cell.slice(1) : cell
  for await (const rows of sheet) yield rows.map(({ number, cells }) => ({ number, cells: cells.map(strip) }))
}
