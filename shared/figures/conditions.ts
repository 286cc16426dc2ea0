// SQL: which figures a report is about. What stands in it are numbers and days that were validated: COPY takes no parameters.
import type { Report } from '../contracts/administrators/reports.ts'

const LAST_WEEKDAY = 5

/** For what has a location's building and a type. */
export function placeSql({ building_id, type }: Pick<Report, 'building_id' | 'type'>): string {
  const conditions = [
    ...(building_id === undefined ? [] : [`building_id = ${building_id}`]),
    ...(type === undefined ? [] : [`type = ${type}`]),
  ]
  return conditions.join(' AND ') || 'true'
}

export function weekdaysSql({ weekdays_only }: Pick<Report, 'weekdays_only'>): string {
  return weekdays_only ? `weekday <= ${LAST_WEEKDAY}` : 'true'
}
