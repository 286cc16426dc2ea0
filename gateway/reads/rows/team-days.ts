// The columns of a team day, on which a group comes to the office together, with its floor.
import { nullableColumn, numberColumn, type RowOf, textColumn } from './rows.ts'

export const TEAM_DAY_COLUMNS = {
  id: numberColumn('team_days.id'),
  teamId: numberColumn('team_days.group_id'),
  date: nullableColumn(textColumn("to_char(team_days.date, 'YYYY-MM-DD')")),
  /** The number of the weekday, from 1 (Monday), if the group comes every week. */
  weekday: nullableColumn(numberColumn('team_days.weekday')),
  locationId: nullableColumn(numberColumn('team_days.location_id')),
  location: nullableColumn(textColumn('locations.name')),
  note: nullableColumn(textColumn('team_days.note')),
}
export type TeamDay = RowOf<typeof TEAM_DAY_COLUMNS>

export const JOIN_TEAM_DAY_LOCATIONS = 'LEFT JOIN locations ON locations.id = team_days.location_id'
