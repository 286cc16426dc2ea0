// Exports the figures of a report: the days of each floor, or the totals of each desk, room and parking spot.
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { bookableSumsSql, placeSql, weekdaysSql } from '../../../shared/reports/conditions.ts'
import { hoursSql, PERIODS } from '../../../shared/reports/figures.ts'
import type { Report } from '../../../shared/reports/reports.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import type { Handler } from '../../runtime/write.ts'
import { type ExportedTable, exportTable } from './copied-tables.ts'

const { desk, parkingSpot, meetingRoom, homeOffice } = BOOKABLE_TYPES
/** SQL for the name of a bookable's type. */
export const BOOKABLE_TYPE_SQL = `CASE type WHEN ${desk} THEN 'desk' WHEN ${parkingSpot} THEN 'parking spot'
  WHEN ${meetingRoom} THEN 'meeting room' ELSE 'home office' END`

export const exportReport: Handler<'reports.export'> = (write, { format, of, ...report }) => {
  const name = `${of}-${report.first_day}-to-${report.last_day}`
  return exportTable(write, of === 'floors' ? createFloorsTable(report) : createBookablesTable(report), {
    name,
    format,
  })
}

const createNumberColumn = (name: string, sql = name) => ({ name, sql, isNumber: true })

const PLACE_COLUMNS = [
  { name: 'building', sql: 'buildings.name' },
  { name: 'location', sql: 'locations.name' },
]

function createFloorsTable(report: Report): ExportedTable {
  const { first_day, last_day, from_hour, to_hour } = report
  return {
    sheet: 'Floors',
    columns: [
      { name: 'day', sql: "to_char(first_day, 'YYYY-MM-DD')" },
      ...PLACE_COLUMNS,
      { name: 'type', sql: BOOKABLE_TYPE_SQL },
      createNumberColumn('available_minutes', hoursSql('available', from_hour, to_hour)),
      createNumberColumn('booked_minutes', hoursSql('booked', from_hour, to_hour)),
      createNumberColumn('bookings'),
      createNumberColumn('no_shows'),
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

function createBookablesTable(report: Report): ExportedTable {
  return {
    sheet: 'Desks and rooms',
    columns: [
      createNumberColumn('id', 'bookables.id'),
      ...PLACE_COLUMNS,
      { name: 'name', sql: 'bookables.name' },
      { name: 'type', sql: BOOKABLE_TYPE_SQL },
      createNumberColumn('booked_minutes', 'coalesce(minutes, 0)'),
      createNumberColumn('bookings', 'coalesce(sums.bookings, 0)'),
      createNumberColumn('no_shows', 'coalesce(sums.no_shows, 0)'),
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
