// Exports the people whom a write affects: who they are, what they had booked and when, and what they have now.
import { affectedPeopleSql } from '../../../shared/affected-bookings/affected-people.ts'
import {
  IS_MAIL_FAILED_SQL,
  IS_MUTED_SQL,
  IS_PUSHED_SQL,
  isMailPendingSql,
  joinMailsSql,
} from '../../../shared/affected-bookings/mailed-people.ts'
import type { Handler } from '../../runtime/write.ts'
import { exportTable } from './copied-tables.ts'

const localTimeSql = (moment: string) => `to_char(${moment} AT TIME ZONE timezone, 'YYYY-MM-DD HH24:MI')`

/** SQL for the time when the person got the mail, or for the reason why they got none. */
const mailStatusSql = (
  entry: string,
) => `CASE WHEN mail.sent_at IS NOT NULL THEN 'sent ' || ${localTimeSql('mail.sent_at')}
  WHEN ${IS_PUSHED_SQL} THEN 'notified in their browser'
  WHEN ${IS_MAIL_FAILED_SQL} THEN 'not sent: failed'
  WHEN ${IS_MUTED_SQL} THEN 'not sent: switched off by the person'
  WHEN ${isMailPendingSql(entry)} THEN 'on its way' ELSE 'not sent' END`

export const exportAffectedPeople: Handler<'bookings.export-affected'> = (write, { format, entry_id }) =>
  exportTable(
    write,
    {
      sheet: 'People',
      columns: [
        ...['person', 'email', 'event', 'building', 'location', 'bookable'].map((name) => ({
          name,
          sql: name,
        })),
        { name: 'from', sql: localTimeSql('lower(during)') },
        { name: 'to', sql: localTimeSql('upper(during)') },
        { name: 'timezone', sql: 'timezone' },
        { name: 'location_now', sql: 'location_now' },
        { name: 'bookable_now', sql: 'bookable_now' },
        { name: 'from_now', sql: localTimeSql('lower(during_now)') },
        { name: 'to_now', sql: localTimeSql('upper(during_now)') },
        { name: 'mail', sql: mailStatusSql(String(entry_id)) },
      ],
      from: `FROM ${affectedPeopleSql(String(entry_id))} ${joinMailsSql(String(entry_id))} ORDER BY lower(during), affected.id`,
    },
    { name: 'people-to-tell', format },
  )
