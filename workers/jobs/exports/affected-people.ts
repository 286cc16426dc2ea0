// Exports the people whom one write affects: who, what they had and when, and what they have now.
import { affectedPeople } from '../../../shared/affected-bookings/affected-people.ts'
import type { Handler } from '../../runtime/write.ts'
import { exportTable } from './copied-tables.ts'

const onClocks = (moment: string) => `to_char(${moment} AT TIME ZONE timezone, 'YYYY-MM-DD HH24:MI')`

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
      ],
      from: `FROM ${affectedPeople(String(entry_id))} ORDER BY lower(during), id`,
    },
    { name: 'people-to-tell', format },
  )
