// Files of people whose headings the import does not know: an administrator sees their first rows and says what the
// columns are, and then they are read as if they had the headings of the import.
import { needsColumns } from '../../shared/imports/guess-columns.ts'
import { COLUMNS_SHOWN, type FilePreview, type Layout, SHEETS_SHOWN } from '../../shared/imports/layouts.ts'
import { listSheets, openSheet } from './formats/open-sheet.ts'
import type { NameColumns } from './formats/read-csv.ts'
import type { Cells, Sheet, SheetRow } from './formats/sheet.ts'
import type { SpooledFile } from './formats/spooled-file.ts'
import { arrangeColumns } from './lists/arranged-columns.ts'
import { toStorableCells } from './lists/checked-cells.ts'

const ROWS_SHOWN = 10
const CHARACTERS_SHOWN = 40

type FileLayout = Pick<Layout, 'sheet' | 'heading_row' | 'columns'>
/** What the administrator has said, or `ask` if they may be asked. */
export type AskedLayout = FileLayout | 'ask'

export async function openLaidOut(
  file: SpooledFile,
  nameEach: NameColumns,
  layout?: AskedLayout,
): Promise<Sheet> {
  if (layout === undefined || layout === 'ask') return openSheet(file, nameEach)
  return arrange(await openSheet(file, nameEach, { sheet: layout.sheet, isForeign: true }), layout)
}

async function* arrange(sheet: Sheet, { heading_row: heading, columns }: FileLayout): Sheet {
  const { header, arrangeCells } = arrangeColumns(columns)
  for await (const rows of sheet)
    yield rows
      .filter(({ number }) => number >= heading)
      .map(({ number, cells }) => ({ number, cells: number === heading ? header : arrangeCells(cells) }))
}

/** Undefined if the headings are known, or if the file has no rows below them. */
export async function previewUnknown(
  file: SpooledFile,
  headings: Cells,
  nameEach: NameColumns,
): Promise<FilePreview | undefined> {
  if (!needsColumns(headings)) return
  const preview = await previewFile(file, nameEach)
  return preview.some(({ rows }) => rows.length > 1) ? preview : undefined
}

async function previewFile(file: SpooledFile, nameEach: NameColumns): Promise<FilePreview> {
  const preview: FilePreview = []
  const names = await listSheets(file)
  for (const [sheet, name] of names.slice(0, SHEETS_SHOWN).entries())
    preview.push({ name, rows: await firstRows(file, nameEach, sheet) })
  return preview
}

async function firstRows(file: SpooledFile, nameEach: NameColumns, sheet: number) {
  const rows: FilePreview[number]['rows'] = []
  for await (const batch of await openSheet(file, nameEach, { sheet, isForeign: true })) {
    rows.push(
      ...batch
        .filter(hasText)
        .slice(0, ROWS_SHOWN - rows.length)
        .map(shorten),
    )
    if (rows.length === ROWS_SHOWN) break
  }
  return rows
}

const hasText = ({ cells }: SheetRow) => cells.some((cell) => cell?.trim())

function shorten({ number, cells }: SheetRow) {
  const shown = toStorableCells(cells.slice(0, COLUMNS_SHOWN))
  return { number, cells: shown.map((cell) => cell.trim().slice(0, CHARACTERS_SHOWN).toWellFormed()) }
}
