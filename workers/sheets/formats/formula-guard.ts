// Removes the apostrophe that the csv export puts before a cell that a spreadsheet would take for a formula;
// see workers/jobs/exports/copied-tables.ts. An ods or xls saved from such a csv has it too.
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
