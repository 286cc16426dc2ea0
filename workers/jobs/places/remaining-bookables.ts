// Handles the bookables that a location still has when an administrator deletes it.
import { countedMessage } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Write } from '../../runtime/write.ts'

/**
 * Removes the hidden bookables of a location that exist only because of cancelled bookings or waits. Mails and calendars
 * that still mention these bookings work without the place.
 */
export const removeUnusedBookables = (write: Write, id: number) =>
  write.run(
    `WITH ended_waits AS (
       DELETE FROM waits USING bookables
       WHERE bookables.id = waits.bookable_id AND bookables.location_id = ? AND deleted_at IS NOT NULL
     )
     DELETE FROM bookables WHERE location_id = ? AND deleted_at IS NOT NULL
       AND NOT EXISTS (SELECT FROM bookings WHERE bookable_id = bookables.id)
       AND NOT EXISTS (SELECT FROM holds WHERE bookable_id = bookables.id)`,
    [id, id],
  )

/** Refuses to delete a location that still has bookables. */
export async function refuseRemainingBookables(write: Write, id: number, name: string): Promise<void> {
  const { present, all } = await write.only<{ present: number; all: number }>(
    `SELECT count(*) FILTER (WHERE deleted_at IS NULL)::int AS present, count(*)::int AS all
     FROM bookables WHERE location_id = ?`,
    [id],
  )
  if (all === 0) return
  const detail =
    present > 0
      ? countedMessage(
          present,
          '{0} still has # desk or room. Delete or move it first.',
          '{0} still has # desks and rooms. Delete or move them first.',
          name,
        )
      : countedMessage(
          all,
          '{0} cannot be deleted because it is needed for the past bookings of # deleted desk or room.',
          '{0} cannot be deleted because it is needed for the past bookings of # deleted desks and rooms.',
          name,
        )
  throw new Refusal('in_use', detail)
}
