// Compares the bookings of the clerks with the expected results of their writes: an undo reverts only its own write,
// and a swap neither loses nor duplicates a booking.
import { determineVerdict } from '../history.ts'
import type { Office } from '../load/office.ts'
import type { Facts } from './facts.ts'

export async function checkLedger({ database, history }: Facts, { ledger }: Office): Promise<void> {
  const desks = new Map<number, number | null>()
  const uncertain = new Set<number>()
  for (const { kind, write, bookings } of ledger) {
    const verdict = determineVerdict(write)
    // Skips writes that were never resolved, because another check reports them.
    if (verdict === 'unknown') for (const { id } of bookings) uncertain.add(id)
    if (verdict !== 'done') continue
    const [one, other] = bookings
    if (kind === 'book' && one) desks.set(one.id, one.desk)
    if (kind === 'remove' && one) desks.set(one.id, null)
    if (kind === 'swap' && one && other) {
      const former = desks.get(one.id) ?? null
      desks.set(one.id, desks.get(other.id) ?? null)
      desks.set(other.id, former)
    }
  }
  const rows: Array<{ id: number; bookable_id: number }> = await database('bookings')
    .whereIn('id', [...desks.keys()])
    .select('id', 'bookable_id')
  const present = new Map(rows.map(({ id, bookable_id }) => [Number(id), Number(bookable_id)]))
  for (const [id, desk] of desks) {
    if (uncertain.has(id) || (present.get(id) ?? null) === desk) continue
    const is = `booking ${id} is at ${present.get(id) ?? 'no desk'}, not at ${desk ?? 'no desk'}`
    history.find('an undo or a swap that changed something else', undefined, is)
  }
}
