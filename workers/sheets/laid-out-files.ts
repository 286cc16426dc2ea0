// Reads files of people whose headings the import does not know. An administrator sees the first rows and chooses what
// the columns mean. Afterwards the file is read as if it had the headings of the import.
import { needsConfirmation } from '../../shared/imports/guess-columns.ts'
import { COLUMNS_SHOWN, type FilePreview, type Layout, SHEETS_SHOWN } from '../../shared/imports/layouts.ts'
import { listSheets, openSheet } from './formats/open-sheet.ts'
import type { NameColumns } from './formats/read-csv.ts'
import type { RowCells, Sheet, SheetRow } from './formats/sheet.ts'
import type { SpooledFile } from './formats/spooled-file.ts'
import { arrangeColumns } from './lists/arranged-columns.ts'
import { toStorableCells } from './lists/checked-cells.ts'

const PREVIEW_ROWS_MAX = 10
const PREVIEW_CELL_LENGTH_MAX = 40

type FileLayout = Pick<Layout, 'sheet' | 'heading_row' | 'columns'>
/** The layout that the administrator specified, or `ask` if the import may ask them for it. */
export type RequestedLayout = FileLayout | 'ask'

export async function openWithLayout(
  file: SpooledFile,
  nameEach: NameColumns,
  layout?: RequestedLayout,
): Promise<Sheet> {
  if (layout === undefined || layout === 'ask') return openSheet(file, nameEach)
  return arrangeRows(await openSheet(file, nameEach, { sheet: layout.sheet, isForeign: true }), layout)
}

async function* arrangeRows(sheet: Sheet, { heading_row: heading, columns }: FileLayout): Sheet {
  const { header, arrangeCells } = arrangeColumns(columns)
  for await (const rows of sheet)
    yield rows
      .filter(({ number }) => number >= heading)
      .map(({ number, cells }) => ({ number, cells: number === heading ? header : arrangeCells(cells) }))
}

/** Reads the first rows of a file. Returns undefined if the headings are known, or if there are no rows below them. */
export async function previewUnknownLayout(
  file: SpooledFile,
  headings: RowCells,
  nameEach: NameColumns,
): Promise<FilePreview | undefined> {
  if (!needsConfirmation(headings)) return
  const preview = await previewFile(file, nameEach)
  return preview.some(({ rows }) => rows.length > 1) ? preview : undefined
}

async function previewFile(file: SpooledFile, nameEach: NameColumns): Promise<FilePreview> {
  const preview: FilePreview = []
  const names = await listSheets(file)
  for (const [sheet, name] of names.slice(0, SHEETS_SHOWN).entries())
    preview.push({ name, rows: await readFirstRows(file, nameEach, sheet) })
  return preview
}

async function readFirstRows(file: SpooledFile, nameEach: NameColumns, sheet: number) {
  const rows: FilePreview[number]['rows'] = []
  for await (const batch of await openSheet(file, nameEach, { sheet, isForeign: true })) {
    rows.push(
      ...batch
        .filter(hasText)
        .slice(0, PREVIEW_ROWS_MAX - rows.length)
        .map(shortenRow),
    )
    if (rows.length === PREVIEW_ROWS_MAX) break
  }
  return rows
}

const hasText = ({ cells }: SheetRow) => cells.some((cell) => cell?.trim())

function shortenRow({ number, cells }: SheetRow) {
  const shown = toStorableCells(cells.slice(0, COLUMNS_SHOWN))
  return { number, cells: shown.map((cell) => cell.trim().slice(0, PREVIEW_CELL_LENGTH_MAX).toWellFormed()) }
}
