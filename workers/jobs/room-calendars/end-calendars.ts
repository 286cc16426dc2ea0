// Unlinks the calendars of deleted bookables.
import type { Write } from '../../runtime/write.ts'

/**
 * Locks the calendars and marks them as ending. The process `hooks` then ends their notifications and deletes them; if no
 * process has settings for the provider any more, upkeep deletes them. Deleting a bookable begins with this, because the
 * calendars come before the claims (docs/decisions/0005).
 */
export async function endRoomCalendars(write: Write, bookableIds: number[]): Promise<void> {
  await write.run(
    `UPDATE room_calendars SET is_ending = true WHERE bookable_id IN (
       SELECT bookable_id FROM room_calendars WHERE bookable_id = ANY(?::bigint[]) ORDER BY bookable_id FOR UPDATE)`,
    [bookableIds],
  )
}
