// Queries for the page of a group: its leads, and its team days with how many members come.
import type pg from 'pg'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { instantsOfDaySql } from '../../../../shared/schemas/days.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { flagColumn, numberColumn, textColumn } from '../../../reads/rows/rows.ts'
import { JOIN_TEAM_DAY_LOCATIONS, TEAM_DAY_COLUMNS } from '../../../reads/rows/team-days.ts'

const GROUP_COLUMNS = {
  id: numberColumn('groups.id'),
  name: textColumn('groups.name'),
  members: numberColumn(`(SELECT count(*)::int FROM group_members JOIN users ON users.id = user_id
    WHERE group_id = groups.id AND users.deactivated_at IS NULL)`),
  anybody: flagColumn('groups.anybody_names_team_days'),
  leads: rows.listColumn(
    {
      id: numberColumn('users.id'),
      name: textColumn('users.name'),
      email: textColumn('users.email'),
      isActive: flagColumn('users.deactivated_at IS NULL'),
    },
    'group_leads JOIN users ON users.id = group_leads.user_id WHERE group_leads.group_id = groups.id',
    'users.name, users.id',
  ),
}
export type Group = rows.RowOf<typeof GROUP_COLUMNS>

export const findGroupWithLeads = (reads: pg.Pool, id: number): Promise<Group | undefined> =>
  rows.selectRow(reads, GROUP_COLUMNS, 'groups WHERE groups.id = $1', [id])

export const SHOWN_TEAM_DAYS_MAX = 30
// Members beyond this number are not counted, so that a large group does not make the page slow.
export const COUNTED_MEMBERS_MAX = 1_000

// The next day on which the group comes. $2 is today.
const NEXT_DATE_SQL = `coalesce(team_days.date, $2::date + (team_days.weekday - extract(isodow FROM $2::date)::int + 7) % 7)`

const COMES_SQL = `(SELECT count(DISTINCT bookings.user_id)::int
  FROM (SELECT user_id FROM group_members WHERE group_id = $1 ORDER BY user_id LIMIT ${COUNTED_MEMBERS_MAX}) AS members
  JOIN bookings ON bookings.user_id = members.user_id AND bookings.released_at IS NULL
    AND bookings.during && tstzrange(next.date - interval '1 day', next.date + interval '2 days')
  ${rows.JOIN_BOOKABLES}
  WHERE bookables.type <> ${BOOKABLE_TYPES.homeOffice}
    AND bookings.during && ${instantsOfDaySql('next.date', 'buildings.timezone')})`

const GROUP_DAY_COLUMNS = {
  ...TEAM_DAY_COLUMNS,
  nextDate: textColumn("to_char(next.date, 'YYYY-MM-DD')"),
  comes: numberColumn(COMES_SQL),
}
export type GroupDay = rows.RowOf<typeof GROUP_DAY_COLUMNS>

/** Lists the team days that are not over, the next one first. */
export const listGroupDays = (reads: pg.Pool, groupId: number, today: string): Promise<GroupDay[]> =>
  rows.selectRows(
    reads,
    GROUP_DAY_COLUMNS,
    `team_days ${JOIN_TEAM_DAY_LOCATIONS} CROSS JOIN LATERAL (SELECT ${NEXT_DATE_SQL} AS date) AS next
     WHERE team_days.group_id = $1 AND (team_days.date IS NULL OR team_days.date >= $2::date)
     ORDER BY next.date, team_days.id LIMIT ${SHOWN_TEAM_DAYS_MAX + 1}`,
    [groupId, today],
  )
