// Undoes what a write did to bookings: removes bookings that it created, restores the bookables and times of bookings
// that it changed, and restores bookings that it cancelled, with their ids. The rules of the places apply.
import { joinMessages, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Write } from '../../runtime/write.ts'
import { type CurrentBooking, isForGuest, lockBookings } from '../bookings/present-bookings.ts'
import { type BookingChange, saveBookingsTogether } from '../bookings/save-bookings.ts'
import { isWithinTimeRange, refuseUnbookable } from '../claims/checks.ts'
import { lockBookingFacts } from '../claims/facts.ts'
import type { UndoEntry } from './entries.ts'
import { requirePlaceAndPerson, restoreBookings, toSubject } from './restore-bookings.ts'

const REASONS_SHOWN_MAX = 3

/**
 * Undoes the changes of bookings. Returns the number of cancelled bookings that cannot be restored. Without `skips`,
 * refuses if there are any. `approved` are the requests whose approvals are undone too.
 */
export async function undoBookings(
  write: Write,
  entries: UndoEntry[],
  { skips, approved }: { skips: boolean; approved: UndoEntry[] },
) {
  const made = entries.filter(({ before }) => before === null)
  const cancelled = entries.filter(({ after }) => after === null)
  const changed = entries.filter(({ before, after }) => before !== null && after !== null)
  for (const { to } of [...cancelled, ...changed])
    if (to !== null && to <= write.now) throw createOverRefusal()
  const connection = await write.connection()
  const requested = approved.map(({ after }) => after?.['booking_id'])
  await refuseUnlessCancellable(
    write,
    made.filter(({ thing }) => !requested.includes(thing)),
  )
  await deleteCreatedBookings(write, made)
  if (changed.length > 0) await saveBookingsTogether(connection, await findFormerBookings(write, changed))
  const refused = await restoreBookings(write, cancelled)
  const isAny = made.length + changed.length + cancelled.length > refused.length
  if (refused.length > 0 && !(skips && isAny)) throw createIncompleteRefusal(refused, cancelled.length)
  return refused.length
}

const createOverRefusal = () =>
  new Refusal('booking_ended', message`The original time of the booking is already over. Nothing was undone.`)

// The refusal of a move between a home office and anything else. Claims on home offices are shared, and all others are
// exclusive.
const createOtherKindRefusal = (name: string) =>
  new Refusal(
    'changed_meanwhile',
    message`${name} has since become a home office, or is no longer one. Nothing was undone.`,
  )

/** Returns a refusal that explains why the first few bookings cannot be restored. */
function createIncompleteRefusal(refused: Refusal[], all: number): Refusal {
  const [first] = refused
  if (first && all === 1) return first
  const reasons = refused.slice(0, REASONS_SHOWN_MAX).map(({ detail }) => detail)
  const count = message`${refused.length} of ${all} bookings cannot be restored. Nothing was undone.`
  return new Refusal('in_use', joinMessages([count, ...reasons]))
}

/** Refuses unless the caller may still cancel the bookings. Somebody who booked for a colleague may not once the colleague hides. */
async function refuseUnlessCancellable(write: Write, made: UndoEntry[]): Promise<void> {
  const writes = made.map(({ thing }) => ({ input: { id: thing }, context: write }))
  const locked = await lockBookings(await write.connection(), writes, { isForBookers: true })
  for (const each of locked) if (each instanceof Refusal) throw each
}

/** Deletes the bookings that the write created, such as the second part of a split booking. */
async function deleteCreatedBookings(write: Write, made: UndoEntry[]): Promise<void> {
  const ids = made.map(({ thing }) => thing)
  const former = await write.readFormer('bookings', ids)
  const before = await write.all<{ id: number; row: unknown }>(
    'SELECT id, to_jsonb(bookings) AS row FROM bookings WHERE id = ANY(?::bigint[]) ORDER BY id',
    [ids],
  )
  await write.run('DELETE FROM bookings WHERE id = ANY(?::bigint[])', [ids])
  await write.auditRows('bookings.delete', former, { before, after: [] })
}

async function findFormerBookings(write: Write, changed: UndoEntry[]): Promise<BookingChange[]> {
  const connection = await write.connection()
  const writes = changed.map(({ thing }) => ({ input: { id: thing }, context: write }))
  const present = (await lockBookings(connection, writes)).map((each) => {
    if (each instanceof Refusal) throw each
    return each
  })
  const subjects = changed.map(({ before }) => toSubject(before))
  const facts = await lockBookingFacts(connection, subjects)
  return changed.map((entry, index) => {
    const [before, fact, subject] = [present[index], facts[index], subjects[index]]
    if (!before || !fact || !subject) throw new Error('A booking was not looked for')
    return toFormerBooking(write, entry, { before, facts: fact, bookableId: subject.bookable_id })
  })
}

function toFormerBooking(
  write: Write,
  { before: row, from, to }: UndoEntry,
  { before, facts, bookableId }: Pick<BookingChange, 'before' | 'facts' | 'bookableId'>,
): BookingChange {
  const text = (name: string) => (row?.[name] ?? null) as string | null
  const details = {
    guest_name: text('guest_name'),
    guest_email: text('guest_email'),
    booking_info: text('booking_info'),
  }
  const { bookable, vehicle = null } = requirePlaceAndPerson(facts)
  if (bookable.isHomeOffice === before.exclusive) throw createOtherKindRefusal(bookable.name)
  // As with other changes, a booking that only becomes shorter is not checked.
  const isChecked =
    !staysWithin(before, { from, to, bookableId }) || (isForGuest(before) && !isForGuest(details))
  if (isChecked) refuseUnbookable(bookable, { from, to })
  // The booking was at this place and time before, so it needs no further approval.
  const overridable = isChecked ? { is_approved: true } : undefined
  return { context: write, before, bookableId, span: { from, to }, facts, vehicle, details, overridable }
}

const staysWithin = (
  before: CurrentBooking,
  { from, to, bookableId }: { from: string; to: string | null; bookableId: number },
) => bookableId === before.bookable_id && isWithinTimeRange({ from, to }, before)
