// Takes off the apostrophe that the export of a csv puts before a cell that a spreadsheet would take for a formula; see
// workers/exports/copied-tables.ts. Who opens such a csv and saves it as ods or xls has it there too.
import type { Sheet } from './sheet.ts'

const GUARDED_FORMULA = /^'+[=+\-@\t\r]/

export async function* stripFormulaGuards(sheet: Sheet): Sheet {
  for await (const rows of sheet) {
    yield rows.map(({ number, cells }) => ({ number, cells: cells.map(stripFormulaGuard) }))
  }
}

function stripFormulaGuard(cell: string | undefined): string | undefined {
  return cell !== undefined && GUARDED_FORMULA.test(cell) ? cell.slice(1) : cell
}
