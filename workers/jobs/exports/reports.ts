// The figures of a report as files: per floor and day, or totals per desk, room and parking spot.

import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { bookableSumsSql, placeSql, weekdaysSql } from '../../../shared/reports/conditions.ts'
import { hoursSql, PERIODS } from '../../../shared/reports/figures.ts'
import type { Report, ReportFile } from '../../../shared/reports/reports.ts'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import type { ExportFormat } from '../../../shared/users/users.ts'
import type { Transaction } from '../../runtime/context.ts'
import { type CopiedTable, type ExportSource, openCopiedTable } from './copied-tables.ts'

const { desk, parkingSpot, meetingRoom, homeOffice } = BOOKABLE_TYPES
const TYPE = `CASE type WHEN ${desk} THEN 'desk' WHEN ${parkingSpot} THEN 'parking spot'
  WHEN ${meetingRoom} THEN 'meeting room' ELSE 'home office' END`

export function openReport(
  trx: Transaction,
  format: ExportFormat,
  of: ReportFile,
  report: Report,
): Promise<ExportSource> {
  return openCopiedTable(trx, format, of === 'floors' ? floors(report) : bookables(report))
}

function floors(report: Report): CopiedTable {
  const { first_day, last_day, from_hour, to_hour } = report
  const header = ['day', 'building', 'location', 'type']
  const numbers = ['available_minutes', 'booked_minutes', 'bookings', 'no_shows']
  return {
    header: [...header, ...numbers],
    sheet: { name: 'Floors', isNumber: (column) => column >= header.length },
    sql: (write) => `
      SELECT to_char(first_day, 'YYYY-MM-DD') AS day, ${write('buildings.name')} AS building,
        ${write('locations.name')} AS location, ${TYPE} AS type,
        ${hoursSql('available', from_hour, to_hour)} AS available_minutes,
        ${hoursSql('booked', from_hour, to_hour)} AS booked_minutes, bookings, no_shows
      FROM location_figures
      JOIN locations ON locations.id = location_figures.location_id
      JOIN buildings ON buildings.id = locations.building_id
      WHERE period = ${PERIODS.day} AND first_day >= '${first_day}' AND first_day <= '${last_day}'
        AND ${placeSql(report)} AND ${weekdaysSql(report)}
      ORDER BY first_day, ${naturalSql('buildings.name')}, buildings.id, locations.id, type`,
  }
}

function bookables(report: Report): CopiedTable {
  const header = ['id', 'building', 'location', 'name', 'type']
  const numbers = ['booked_minutes', 'bookings', 'no_shows']
  return {
    header: [...header, ...numbers],
    sheet: { name: 'Desks and rooms', isNumber: (column) => column === 0 || column >= header.length },
    sql: (write) => `
      WITH sums AS (
        ${bookableSumsSql(report)}
      )
      SELECT bookables.id, ${write('buildings.name')} AS building, ${write('locations.name')} AS location,
        ${write('bookables.name')} AS name, ${TYPE} AS type, coalesce(minutes, 0) AS booked_minutes,
        coalesce(sums.bookings, 0) AS bookings, coalesce(sums.no_shows, 0) AS no_shows
      FROM bookables
      JOIN locations ON locations.id = bookables.location_id
      JOIN buildings ON buildings.id = locations.building_id
      LEFT JOIN sums ON sums.bookable_id = bookables.id
      WHERE type <> ${homeOffice} AND (deleted_at IS NULL OR sums.bookable_id IS NOT NULL) AND ${placeSql(report)}
      ORDER BY ${naturalSql('buildings.name')}, buildings.id, locations.id, ${naturalSql('bookables.name')}, bookables.id`,
  }
}
