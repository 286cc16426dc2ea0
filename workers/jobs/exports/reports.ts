// The figures of a report as files: per floor and day, or totals per desk, room and parking spot.
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { bookableSumsSql, placeSql, weekdaysSql } from '../../../shared/reports/conditions.ts'
import { hoursSql, PERIODS } from '../../../shared/reports/figures.ts'
import type { Report } from '../../../shared/reports/reports.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import type { Handler } from '../../runtime/write.ts'
import { type CopiedTable, exportTable } from './copied-tables.ts'

const { desk, parkingSpot, meetingRoom, homeOffice } = BOOKABLE_TYPES
/** Of bookables or their figures, in words. */
export const TYPE = `CASE type WHEN ${desk} THEN 'desk' WHEN ${parkingSpot} THEN 'parking spot'
  WHEN ${meetingRoom} THEN 'meeting room' ELSE 'home office' END`

export const exportReport: Handler<'reports.export'> = (write, { format, of, ...report }) => {
  const name = `${of}-${report.first_day}-to-${report.last_day}`
  return exportTable(write, of === 'floors' ? floors(report) : bookables(report), { name, format })
}

const number = (name: string, sql = name) => ({ name, sql, isNumber: true })

const PLACE = [
  { name: 'building', sql: 'buildings.name' },
  { name: 'location', sql: 'locations.name' },
]

function floors(report: Report): CopiedTable {
  const { first_day, last_day, from_hour, to_hour } = report
  return {
    sheet: 'Floors',
    columns: [
      { name: 'day', sql: "to_char(first_day, 'YYYY-MM-DD')" },
      ...PLACE,
      { name: 'type', sql: TYPE },
      number('available_minutes', hoursSql('available', from_hour, to_hour)),
      number('booked_minutes', hoursSql('booked', from_hour, to_hour)),
      number('bookings'),
      number('no_shows'),
    ],
    from: `
      FROM location_figures
      JOIN locations ON locations.id = location_figures.location_id
      JOIN buildings ON buildings.id = locations.building_id
      WHERE period = ${PERIODS.day} AND first_day >= '${first_day}' AND first_day <= '${last_day}'
        AND ${placeSql(report)} AND ${weekdaysSql(report)}
      ORDER BY first_day, ${naturalSql('buildings.name')}, buildings.id, locations.id, type`,
  }
}

function bookables(report: Report): CopiedTable {
  return {
    sheet: 'Desks and rooms',
    columns: [
      number('id', 'bookables.id'),
      ...PLACE,
      { name: 'name', sql: 'bookables.name' },
      { name: 'type', sql: TYPE },
      number('booked_minutes', 'coalesce(minutes, 0)'),
      number('bookings', 'coalesce(sums.bookings, 0)'),
      number('no_shows', 'coalesce(sums.no_shows, 0)'),
    ],
    from: `
      FROM bookables
      JOIN locations ON locations.id = bookables.location_id
      JOIN buildings ON buildings.id = locations.building_id
      LEFT JOIN (${bookableSumsSql(report)}) AS sums ON sums.bookable_id = bookables.id
      WHERE type <> ${homeOffice} AND (deleted_at IS NULL OR sums.bookable_id IS NOT NULL) AND ${placeSql(report)}
      ORDER BY ${naturalSql('buildings.name')}, buildings.id, locations.id, ${naturalSql('bookables.name')}, bookables.id`,
  }
}
