// Exports the people whom one write affects: who, what they had and when, and what they have now.
import { affectedPeople } from '../../../shared/affected-bookings/affected-people.ts'
import {
  IS_FAILED,
  IS_MUTED,
  isOnItsWay,
  joinMails,
} from '../../../shared/affected-bookings/mailed-people.ts'
import type { Handler } from '../../runtime/write.ts'
import { exportTable } from './copied-tables.ts'

const onClocks = (moment: string) => `to_char(${moment} AT TIME ZONE timezone, 'YYYY-MM-DD HH24:MI')`

/** When the person was mailed, or why not. */
const mail = (
  entry: string,
) => `CASE WHEN mail.sent_at IS NOT NULL THEN 'sent ' || ${onClocks('mail.sent_at')}
  WHEN ${IS_FAILED} THEN 'not sent: failed'
  WHEN ${IS_MUTED} THEN 'not sent: switched off by the person'
  WHEN ${isOnItsWay(entry)} THEN 'on its way' ELSE 'not sent' END`

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
        { name: 'from', sql: onClocks('lower(during)') },
        { name: 'to', sql: onClocks('upper(during)') },
        { name: 'timezone', sql: 'timezone' },
        { name: 'location_now', sql: 'location_now' },
        { name: 'bookable_now', sql: 'bookable_now' },
        { name: 'from_now', sql: onClocks('lower(during_now)') },
        { name: 'to_now', sql: onClocks('upper(during_now)') },
        { name: 'mail', sql: mail(String(entry_id)) },
      ],
      from: `FROM ${affectedPeople(String(entry_id))} ${joinMails(String(entry_id))} ORDER BY lower(during), affected.id`,
    },
    { name: 'people-to-tell', format },
  )
