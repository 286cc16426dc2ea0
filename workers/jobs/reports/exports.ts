// Exports the figures of a report to a file, which the gateway sends while it is being written.
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { openReport } from '../exports/reports.ts'
import { writeExport } from '../exports/write-export.ts'

export async function exportReport(
  trx: Transaction,
  { format, of, ...report }: InputOf<'reports.export'>,
  context: WorkContext,
): Promise<ReplyOf<'reports.export'>> {
  const name = `${of}-${report.first_day}-to-${report.last_day}.${format}`
  return writeExport(await openReport(trx, format, of, report), name, context)
}
