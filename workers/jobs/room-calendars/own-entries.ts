// Applies changes of entries that Berth wrote to a room's calendar. What both sides last agreed on says who has changed what:
// a new time from outside moves the booking or the event, and an entry that is gone cancels it. If Berth has changed it as
// well, or refuses, the entry is written again as Berth has it.
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { spanColumns } from '../../../shared/schemas/json.ts'
import { performSingleWrite, type Write } from '../../runtime/write.ts'
import { bookingDeletions } from '../bookings/bookings.ts'
import { bookingUpdates } from '../bookings/changes.ts'
import { lockClaims, lockClaimsOfBookings } from '../claims/locks.ts'
import { lockEventRows } from '../events/present-events.ts'
import { type AppliedEntry, type LockedEntry, omitContent } from './entry-rows.ts'
import { moveEvent, type RuleOptions, releaseRoom, tryChange } from './save-meetings.ts'

/** The booking or the event that an entry of Berth shows, with its changes. */
type Claim = {
  from: string
  to: string | null
  cancel(trial: Write): Promise<unknown>
  /** Moves the claim. An undefined time stays. */
  move(trial: Write, from: string | undefined, to: string | undefined): Promise<unknown>
}

export async function applyOwnEntry(
  write: Write,
  entry: LockedEntry,
  options: RuleOptions,
): Promise<AppliedEntry> {
  const { eventId, seen, base } = entry
  const claim = await lockClaim(write, entry, options)
  const agreed: AppliedEntry = { eventId, base: getAgreedContent(entry), needsWrite: true }
  const rewritten: AppliedEntry = { eventId, base: null, needsWrite: true }
  const restored: AppliedEntry = { ...rewritten, isRestored: true }
  if (!claim) return agreed
  if (claim.to !== null && claim.to <= write.now) return agreed
  if (base === null) return rewritten
  const isUnchanged = isAsWritten(claim, entry)
  if (seen.isGone || seen.isCancelled || seen.isDeclined) {
    if (!isUnchanged) return restored
    const cancelled = await tryChange(write, (trial) => claim.cancel(trial))
    return cancelled instanceof Refusal ? restored : agreed
  }
  // An entry that is shown as free does not cancel its booking.
  if (seen.isFree) return restored
  const { from, to, baseFrom, baseTo } = entry
  if (from === baseFrom && to === baseTo) {
    if (isTitleKept(entry)) return agreed
    return (await isWrittenForOtherRoom(write, entry)) ? rewritten : restored
  }
  // Another room of the meeting may have moved the event or written its new time.
  if (!isUnchanged) return isAt(claim, entry) ? agreed : restored
  const moved = await tryChange(write, (trial) =>
    claim.move(trial, from === baseFrom ? undefined : from, to === baseTo ? undefined : to),
  )
  return moved instanceof Refusal ? restored : agreed
}

// The text of an entry is not read. A title from outside counts as agreed, so that the writer finds and restores it.
const getAgreedContent = (entry: LockedEntry): AppliedEntry['base'] => ({
  ...entry.base,
  ...omitContent(entry.seen),
  from: entry.from,
  to: entry.to,
  title: (isTitleKept(entry) ? entry.base?.title : entry.seen.title) ?? '',
})

// The title of a private entry is not read.
const isTitleKept = ({ seen, base }: LockedEntry): boolean =>
  seen.isPrivate ? base?.isPrivate === true : seen.digest === base?.digest || seen.title === base?.title

// All rooms of a meeting share one entry in the calendar of its organizer.
async function isWrittenForOtherRoom(write: Write, { id, eventId, seen }: LockedEntry): Promise<boolean> {
  const found = await write.first(
    `SELECT FROM calendar_entries AS own JOIN calendar_entries AS other ON other.event_id = :eventId AND other.key = own.key
       AND other.id <> own.id
     WHERE own.id = :id AND other.base ->> 'digest' = :digest`,
    { id, eventId, digest: seen.digest },
  )
  return found !== undefined
}

const isAt = (claim: Claim, { from, to }: LockedEntry): boolean =>
  claim.to !== null && toSeconds(claim.from) === toSeconds(from) && toSeconds(claim.to) === toSeconds(to)

// Calendars know whole seconds, and show a booking without an end until the end of a day.
function isAsWritten({ from, to }: Claim, { baseFrom, baseTo }: LockedEntry): boolean {
  const isSameStart = baseFrom !== null && toSeconds(from) === toSeconds(baseFrom)
  return isSameStart && (to === null || (baseTo !== null && toSeconds(to) === toSeconds(baseTo)))
}

const toSeconds = (instant: string): string => instant.slice(0, 'yyyy-mm-ddThh:mm:ss'.length)

function lockClaim(write: Write, entry: LockedEntry, options: RuleOptions): Promise<Claim | undefined> {
  const { eventId, bookingId } = entry
  if (bookingId !== null) return lockBooking(write, bookingId, options)
  return eventId === null ? Promise.resolve(undefined) : lockRoom(write, eventId, entry.bookableId, options)
}

async function lockBooking(
  write: Write,
  id: number,
  { appliesRules }: RuleOptions,
): Promise<Claim | undefined> {
  await lockClaimsOfBookings(await write.connection(), [id], [])
  const found = await write.first<Pick<Claim, 'from' | 'to'>>(
    `SELECT ${spanColumns('bookings')} FROM bookings
     WHERE id = ? AND user_id IS NOT NULL AND released_at IS NULL FOR UPDATE`,
    [id],
  )
  return (
    found && {
      ...found,
      cancel: (trial) => performSingleWrite(bookingDeletions, trial, { id }),
      move: (trial, from_time, to_time) =>
        performSingleWrite(bookingUpdates, trial, {
          id,
          ...(from_time !== undefined && { from_time }),
          // Without an end, a booking keeps the one that it has, or none.
          ...(to_time !== undefined && { to_time }),
          overrides_rules: !appliesRules,
          overrides_absence: true,
        } as Parameters<typeof bookingUpdates.lockFacts>[1][number]['input']),
    }
  )
}

async function lockRoom(
  write: Write,
  eventId: number,
  bookableId: number,
  options: RuleOptions,
): Promise<Claim | undefined> {
  const event = (await lockEventRows(await write.connection(), [eventId])).get(eventId)
  if (event?.status !== EVENT_STATUSES.confirmed || !event.rooms.includes(bookableId)) return undefined
  await lockClaims(write, event.rooms)
  const held = await write.first<object>(
    'SELECT FROM bookings WHERE event_id = ? AND bookable_id = ? AND released_at IS NULL',
    [eventId, bookableId],
  )
  return (
    held && {
      from: event.from,
      to: event.to,
      cancel: (trial) => releaseRoom(trial, event, bookableId),
      move: (trial, from = event.from, to = event.to) => moveEvent(trial, event, { from, to }, options),
    }
  )
}
