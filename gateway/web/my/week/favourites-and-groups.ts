// Lists a person's favourites and the members of their groups, or of one group, with the seats of these people on given
// days. People's own pages show only colleagues who allow it (gateway/reads/limits/personal-limits.ts).
import { awayUntilSql } from '../../../../shared/absences/absences-shape.ts'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { COMMON_ZONE_SQL } from '../../../reads/people/busy-times.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { flagColumn, nullableColumn, numberColumn, textColumn } from '../../../reads/rows/rows.ts'
import type { Call } from '../../pages/page/page.ts'
import { type BookedSeat, FAVOURITES_AND_GROUPS_IDS_SQL, seatsOnDaysSql } from '../../pages/search/seats.ts'

const createColleagueColumns = (table: string) => ({
  id: numberColumn(`${table}.id`),
  name: textColumn(`${table}.name`),
  isFavourite: flagColumn(`EXISTS (SELECT FROM favourite_colleagues WHERE colleague_id = ${table}.id)`),
  /** The last day of the absence of the person, if the person is away today, where most buildings are. */
  awayUntil: nullableColumn(
    textColumn(
      `to_char(${awayUntilSql(`${table}.id`, `timezone(${COMMON_ZONE_SQL}, now())`)}, 'YYYY-MM-DD')`,
    ),
  ),
})
export const COLLEAGUE_COLUMNS = createColleagueColumns('users')
export type Colleague = rows.RowOf<typeof COLLEAGUE_COLUMNS>
/**
 * A colleague. `seat` is their seat on the day that is shown, and `daysIn` has the numbers of the days on which they
 * are in the office.
 */
export type ListedColleague = Colleague & { seat: BookedSeat | null; daysIn: number[] }
type ShownDay = { at: string; isToday: boolean }

/** The limit on listed people. Pages that count the listed people say if there may be more. */
export const LISTED_MAX = 300

const SEAT_TYPES = [BOOKABLE_TYPES.desk, BOOKABLE_TYPES.meetingRoom, BOOKABLE_TYPES.homeOffice]

const MEMBER_COLUMNS = {
  id: numberColumn('members.id'),
  name: textColumn('members.name'),
  isFavourite: flagColumn('members."isFavourite"'),
  awayUntil: nullableColumn(textColumn('members."awayUntil"')),
  seat: rows.column<BookedSeat | null>('members.seat'),
  daysIn: rows.column<number[]>("coalesce(members.days_in, '{}')"),
}

// Selects the people with these ids, with their seats. $1 has the times, $2 is the number of today (people who have
// already left are excluded on this day), and $3 is the number of the day shown.
// It does not name users, whose limits take longer to plan.
const listedSql = (ids: string) => `(
  SELECT ${rows.columnsSql(createColleagueColumns('colleagues'))} FROM colleagues
  JOIN (${ids}) AS near ON near.id = colleagues.id
  ORDER BY "isFavourite" DESC, name, id LIMIT ${LISTED_MAX})`
const SEATS_SQL = `
  SELECT "userId", (json_agg(row_to_json(earliest)) FILTER (WHERE day = $3::int)) -> 0 AS seat,
    array_agg(day) FILTER (WHERE type <> ${BOOKABLE_TYPES.homeOffice}) AS days_in FROM (
    SELECT DISTINCT ON (day, "userId") * FROM (${seatsOnDaysSql('ARRAY(SELECT id FROM listed)', '$1::timestamptz[]')}) AS booked
    WHERE type IN (${SEAT_TYPES.join(', ')}) AND (rank < 2 OR day <> $2::int)
    ORDER BY day, "userId", rank, "from", "bookableId"
  ) AS earliest GROUP BY "userId"`
const membersFrom = (
  ids: string,
) => `(WITH listed AS MATERIALIZED ${listedSql(ids)}, seated AS MATERIALIZED (${SEATS_SQL})
  SELECT listed.*, seated.seat, seated.days_in FROM listed LEFT JOIN seated ON seated."userId" = listed.id
  ) AS members ORDER BY "isFavourite" DESC, name, id`

const FAVOURITES_AND_GROUPS_FROM = membersFrom(FAVOURITES_AND_GROUPS_IDS_SQL)
const TEAM_FROM = membersFrom('SELECT user_id AS id FROM group_members WHERE group_id = $4::bigint')

const listValues = (days: ShownDay[], shown: number) => [
  days.map(({ at }) => at),
  days.findIndex(({ isToday }) => isToday),
  shown,
]

/** Lists the person's favourites and group members, with favourites first. Each has the desk, room or home
 * office that they have booked on day number `shown`. */
export const listFavouritesAndGroups = (
  { reads }: Pick<Call, 'reads'>,
  days: ShownDay[],
  shown = 0,
): Promise<ListedColleague[]> =>
  rows.selectRows(reads, MEMBER_COLUMNS, FAVOURITES_AND_GROUPS_FROM, listValues(days, shown))

/** Lists the other members of one of the person's groups, with their seats on the first day. */
export const listTeamMembers = (
  { reads }: Pick<Call, 'reads'>,
  days: ShownDay[],
  teamId: number,
): Promise<ListedColleague[]> =>
  rows.selectRows(reads, MEMBER_COLUMNS, TEAM_FROM, [...listValues(days, 0), teamId])
