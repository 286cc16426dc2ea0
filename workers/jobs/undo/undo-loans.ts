// Undoes what a write did to loans: ends the loans that it created, and restores those that it ended.
import type { Write } from '../../runtime/write.ts'
import {
  type Days,
  endLoans,
  insertLoan,
  refuseIfBookedByOthers,
  refuseOverlappingLoan,
  requireOwner,
} from '../loans/loans.ts'
import { createChangedSinceRefusal, type UndoEntry } from './entries.ts'

type LoanRow = Days & { id: number; bookable_id: number; user_id: number }

/** Undoes what a write did to loans. The caller must lock their bookables. */
export async function undoLoans(write: Write, entries: UndoEntry[]): Promise<void> {
  for (const entry of entries) {
    const isPresent = (await write.first('SELECT FROM loans WHERE id = ?', [entry.thing])) !== undefined
    if (isPresent !== (entry.after !== null)) throw await createChangedSinceRefusal(write, entry)
    if (isPresent) {
      await refuseIfBookedByOthers(write, entry.thing)
      await endLoans(write, [entry.thing])
    } else await restoreLoan(write, entry.before as unknown as LoanRow)
  }
}

async function restoreLoan(write: Write, { id, bookable_id, user_id, from, to }: LoanRow): Promise<void> {
  const { name } = await write.only<{ name: string }>('SELECT name FROM bookables WHERE id = ?', [
    bookable_id,
  ])
  await requireOwner(write, bookable_id, user_id)
  await refuseOverlappingLoan(write, name, bookable_id, { from, to })
  await insertLoan(write, { id, bookable_id, user_id, from, to })
}
