// Undoes what a write did to bookings: removes what it made, gives the others back their places and times, and brings back
// what it cancelled, under the same numbers. The rules of the places apply.
import { joinMessages, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Write } from '../../runtime/write.ts'
import { isForGuest, lockBookings, type Present } from '../bookings/present-bookings.ts'
import { type Change, saveTogether } from '../bookings/save-bookings.ts'
import { isWithin, refuseUnbookable } from '../claims/checks.ts'
import { lockBookingFacts } from '../claims/facts.ts'
import type { Entry } from './entries.ts'
import { requirePlaceAndPerson, restoreBookings, subjectOf } from './restore-bookings.ts'

const NAMED_MAX = 3

/** Returns how many of the cancelled ones cannot come back; without `skips` none can then. */
export async function undoBookings(write: Write, entries: Entry[], { skips }: { skips: boolean }) {
  const made = entries.filter(({ before }) => before === null)
  const cancelled = entries.filter(({ after }) => after === null)
  const changed = entries.filter(({ before, after }) => before !== null && after !== null)
  for (const { to } of [...cancelled, ...changed]) if (to !== null && to <= write.now) throw over()
  await removeMade(write, made)
  const connection = await write.connection()
  if (changed.length > 0) await saveTogether(connection, await findFormer(write, changed))
  const refused = await restoreBookings(write, cancelled)
  const isAny = made.length + changed.length + cancelled.length > refused.length
  if (refused.length > 0 && !(skips && isAny)) throw notAll(refused, cancelled.length)
  return refused.length
}

const over = () => new Refusal('booking_ended', message`It would be over by now. Nothing was undone.`)

// A booking of a home office shares it with others, any other booking excludes them.
const ofAnotherKind = (name: string) =>
  new Refusal(
    'changed_meanwhile',
    message`${name} has become a home office since, or no longer is one. Nothing was undone.`,
  )

/** Says of the first ones why. */
function notAll(refused: Refusal[], all: number): Refusal {
  const [first] = refused
  if (first && all === 1) return first
  const reasons = refused.slice(0, NAMED_MAX).map(({ detail }) => detail)
  const count = message`${refused.length} of ${all} bookings cannot come back. Nothing was undone.`
  return new Refusal('in_use', joinMessages([count, ...reasons]))
}

/** The parts of a booking that the write has split. */
async function removeMade(write: Write, made: Entry[]): Promise<void> {
  const ids = made.map(({ thing }) => thing)
  const former = await write.readFormer('bookings', ids)
  const before = await write.all<{ id: number; row: unknown }>(
    'SELECT id, to_jsonb(bookings) AS row FROM bookings WHERE id = ANY(?::bigint[]) ORDER BY id',
    [ids],
  )
  await write.run('DELETE FROM bookings WHERE id = ANY(?::bigint[])', [ids])
  await write.auditRows('bookings.delete', former, { before, after: [] })
}

async function findFormer(write: Write, changed: Entry[]): Promise<Change[]> {
  const connection = await write.connection()
  const writes = changed.map(({ thing }) => ({ input: { id: thing }, context: write }))
  const present = (await lockBookings(connection, writes)).map((each) => {
    if (each instanceof Refusal) throw each
    return each
  })
  const subjects = changed.map(({ before }) => subjectOf(before))
  const facts = await lockBookingFacts(connection, subjects)
  return changed.map((entry, index) => {
    const [before, fact, subject] = [present[index], facts[index], subjects[index]]
    if (!before || !fact || !subject) throw new Error('A booking was not looked for')
    return formerOf(write, entry, { before, facts: fact, bookableId: subject.bookable_id })
  })
}

function formerOf(
  write: Write,
  { before: row, from, to }: Entry,
  { before, facts, bookableId }: Pick<Change, 'before' | 'facts' | 'bookableId'>,
): Change {
  const text = (name: string) => (row?.[name] ?? null) as string | null
  const details = {
    guest_name: text('guest_name'),
    guest_email: text('guest_email'),
    booking_info: text('booking_info'),
  }
  const { bookable, vehicle = null } = requirePlaceAndPerson(facts)
  if (bookable.isHomeOffice === before.exclusive) throw ofAnotherKind(bookable.name)
  // As for other changes: one that only gets shorter is not checked.
  const isChecked =
    !isShorter(before, { from, to, bookableId }) || (isForGuest(before) && !isForGuest(details))
  if (isChecked) refuseUnbookable(bookable)
  const overridable = isChecked ? {} : undefined
  return { context: write, before, bookableId, span: { from, to }, facts, vehicle, details, overridable }
}

const isShorter = (
  before: Present,
  { from, to, bookableId }: { from: string; to: string | null; bookableId: number },
) => bookableId === before.bookable_id && isWithin({ from, to }, before)
