// Makes calendars due for reading that a provider reports as changed. The engine in the process `hooks` then reads them.
import type { Handlers } from '../../runtime/write.ts'

export const roomCalendarNoticeHandlers: Handlers<'room-calendars.notice'> = {
  /**
   * A notice only says that it is time to read, so it is neither audited nor in the feed. Notices of watches that have ended
   * meanwhile are ignored. A reading that is already under way does not count as an answer to the notice: it has set the time
   * of the next reading when it began, and this write replaces that time.
   */
  async 'room-calendars.notice'(write, { notices }) {
    const watches = notices.map(({ watch }) => watch)
    const isAboutWatch = notices.map(({ event }) => event === 'ending' || event === 'ended')
    await write.run(
      `UPDATE room_calendars SET next_read_at = now(),
         next_watch_at = CASE WHEN noticed.is_about_watch THEN now() ELSE next_watch_at END
       FROM (SELECT watch, bool_or(is_about_watch) AS is_about_watch
         FROM unnest(?::text[], ?::boolean[]) AS each (watch, is_about_watch) GROUP BY watch) AS noticed
       WHERE room_calendars.bookable_id IN (
         SELECT bookable_id FROM room_calendars WHERE watch = ANY(?::text[]) ORDER BY bookable_id FOR NO KEY UPDATE)
       AND room_calendars.watch = noticed.watch`,
      [watches, isAboutWatch, watches],
    )
    return null
  },
}
