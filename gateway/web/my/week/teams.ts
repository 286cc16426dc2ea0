// Reads the groups of the person and their team days.
import { mayNameTeamDaysSql } from '../../../../shared/groups/team-days.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { flagColumn, numberColumn, textColumn } from '../../../reads/rows/rows.ts'
import { JOIN_TEAM_DAY_LOCATIONS, TEAM_DAY_COLUMNS } from '../../../reads/rows/team-days.ts'
import type { Call } from '../../pages/page/page.ts'

const TEAM_COLUMNS = {
  id: numberColumn('groups.id'),
  name: textColumn('groups.name'),
  mayName: flagColumn(mayNameTeamDaysSql('$1')),
}
export type Team = rows.RowOf<typeof TEAM_COLUMNS>

const NAMED_TEAM_DAY_COLUMNS = { ...TEAM_DAY_COLUMNS, team: textColumn('groups.name') }
export type TeamDay = rows.RowOf<typeof NAMED_TEAM_DAY_COLUMNS>

const TEAMS_MAX = 50
const TEAM_DAYS_MAX = 500

/** Lists the groups of the person by name. */
export const listTeams = ({ reads, requirePerson }: Call): Promise<Team[]> =>
  rows.selectRows(
    reads,
    TEAM_COLUMNS,
    `groups WHERE EXISTS (SELECT FROM group_members WHERE group_members.group_id = groups.id AND user_id = $1)
     ORDER BY groups.name, groups.id LIMIT ${TEAMS_MAX}`,
    [requirePerson().id],
  )

/** Lists the current and upcoming team days of the person's groups. */
export const listTeamDays = ({ reads }: Call, from: string): Promise<TeamDay[]> =>
  rows.selectRows(
    reads,
    NAMED_TEAM_DAY_COLUMNS,
    `team_days JOIN groups ON groups.id = team_days.group_id
     ${JOIN_TEAM_DAY_LOCATIONS}
     WHERE team_days.date IS NULL OR team_days.date >= $1::date
     ORDER BY groups.name, team_days.id LIMIT ${TEAM_DAYS_MAX}`,
    [from],
  )

/** Returns whether a team day takes place on this date. */
export const isTeamDayOn = ({ date, weekday }: Pick<TeamDay, 'date' | 'weekday'>, on: string): boolean =>
  date === null ? weekday === (new Date(on).getUTCDay() || 7) : date === on
