// Applies the plan of a user import with a few statements, each of which processes all rows in batches. Also
// deactivates the users whom no row of the file names. These users keep their bookings.
import { getPlace, PLACE_IN_NO_BUILDING } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES, changedDataSql } from '../../../shared/changes/changes-shape.ts'
import { insertChangesSql, NAMED_AUTHOR_SQL } from '../../../shared/changes/record.ts'
import { IMPORTED_TEXTS, isRefusedRowsFile } from '../../../shared/imports/user-columns.ts'
import { createUserJson } from '../../../shared/users/users.ts'
import type { Write } from '../../runtime/write.ts'
import { ensureGroups, replaceGroupsSql, replacePlatesSql } from './groups-and-plates.ts'
import { createPieceWriter, IS_IN_PIECE } from './pieces.ts'
import { IMPORT_PLAN } from './reviewed-imports.ts'

export async function applyPlannedRows(write: Write, columns: string[]): Promise<void> {
  const writePieces = await createPieceWriter(write, IMPORT_PLAN)
  await writePieces(['create'], CREATE_USERS_SQL)
  await write.run(KEEP_FORMER_EVENTS_SQL)
  await writePieces(['change', 'restore'], CHANGE_USERS_SQL)
  await (await createPieceWriter(write, 'former_events'))(['touch'], RECORD_EVENTS_SQL)
  const [hasGroups, hasPlates] = [columns.includes('groups'), columns.includes('license_plates')]
  if (hasGroups || hasPlates) await setIdsOfCreatedUsers(write)
  const groups = `SELECT DISTINCT unnest(groups) AS name FROM ${IMPORT_PLAN} WHERE action IN ('create', 'change')`
  if (hasGroups) await ensureGroups(write, groups)
  for (const statement of [
    ...(hasGroups ? replaceGroupsSql(ROWS_IN_PIECE_SQL) : []),
    ...(hasPlates ? replacePlatesSql(ROWS_IN_PIECE_SQL) : []),
  ])
    await writePieces(['create', 'change'], statement)
}

const ROWS_IN_PIECE_SQL = `(SELECT * FROM ${IMPORT_PLAN} WHERE action IN ('create', 'change') AND ${IS_IN_PIECE})`

/** SQL that follows `WITH users AS (… RETURNING …)` and records the change of each user in the same statement. */
const recordUsersSql = (action: string) =>
  `${insertChangesSql(
    {
      type: "'user'",
      action,
      id: 'users.id',
      data: String(CHANGED_SHAPES.users.json),
      previous: 'previous',
      place: PLACE_IN_NO_BUILDING,
    },
    NAMED_AUTHOR_SQL,
  )} FROM users ORDER BY users.id`

/** SQL for the RETURNING clause of the statements that change users. `former` is the row of the user before
 * the statement. */
const PREVIOUS_USER_SQL = `${createUserJson('former')} AS previous`

const CREATE_USERS_SQL = `
  WITH users AS (
    INSERT INTO users (email, ${IMPORTED_TEXTS.join(', ')}, extension_attributes)
    SELECT email, ${IMPORTED_TEXTS.join(', ')}, new_attributes FROM ${IMPORT_PLAN} WHERE action = 'create' AND ${IS_IN_PIECE}
    ORDER BY row_number
    RETURNING *, CAST(NULL AS text) AS previous
  ) ${recordUsersSql("'created'")}`

const WRITTEN_COLUMNS = [
  ...['email', ...IMPORTED_TEXTS].map((column) => [column, column]),
  ['extension_attributes', 'new_attributes'],
]
const CHANGE_USERS_SQL = `
  WITH users AS (
  UPDATE users
  SET ${WRITTEN_COLUMNS.map(([column, planned]) => `${column} = CASE plan.action WHEN 'change' THEN plan.${planned} ELSE users.${column} END`).join(', ')},
    deactivated_at = NULL,
    updated_at = now()
  FROM ${IMPORT_PLAN} AS plan JOIN users AS former ON former.id = plan.user_id
  WHERE users.id = plan.user_id AND plan.action IN ('change', 'restore') AND ${IS_IN_PIECE}
  RETURNING users.*, plan.was_deactivated, ${PREVIOUS_USER_SQL}
  ) ${recordUsersSql("CASE WHEN was_deactivated THEN 'restored' ELSE 'updated' END")}`

// SQL that stores the events of users before the import changes them, because events contain the names and e-mails of
// their people.
const KEEP_FORMER_EVENTS_SQL = `
  CREATE TEMPORARY TABLE former_events ON COMMIT DROP AS
  SELECT row_number() OVER ()::int AS row_number, 'touch' AS action, touched.id,
    ${changedDataSql('events', 'touched.id')} AS data
  FROM events AS touched WHERE touched.id IN (
    SELECT event_attendees.event_id FROM ${IMPORT_PLAN} JOIN event_attendees USING (user_id)
    WHERE is_renamed AND action = 'change'
    UNION
    SELECT organized.id FROM ${IMPORT_PLAN} JOIN events AS organized ON organized.organizer_user_id = ${IMPORT_PLAN}.user_id
    WHERE is_renamed AND action = 'change'
  )`

const RECORD_EVENTS_SQL = `
  ${insertChangesSql(
    {
      type: "'event'",
      action: "'updated'",
      id: 'former_events.id',
      data: changedDataSql('events', 'former_events.id'),
      previous: 'former_events.data',
      place: getPlace('events', 'former_events.id'),
    },
    NAMED_AUTHOR_SQL,
  )} FROM former_events WHERE ${IS_IN_PIECE} ORDER BY former_events.id`

async function setIdsOfCreatedUsers(write: Write): Promise<void> {
  await write.run(`
    UPDATE ${IMPORT_PLAN} SET user_id = users.id
    FROM users WHERE action = 'create' AND lower(users.email) = lower(${IMPORT_PLAN}.email)`)
}

export type PlannedDeactivation = {
  /** Whether the import deactivates users. False if nobody requested that, or if it is refused. */
  isOn: boolean
  leftOut: number
  /** The number of active users whom only refused rows name. They are not deactivated. */
  kept: number
  /** The number of refused rows that match no existing user. */
  unmatched: number
}

// SQL condition that no row names the user, by its key or by its e-mail. Rows with errors also count as
// naming a user. An empty or broken list deactivates nobody.
const IS_LEFT_OUT_SQL = `
  users.deactivated_at IS NULL
  AND EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE action <> 'error')
  AND NOT EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE ${IMPORT_PLAN}.user_id = users.id)
  AND NOT EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE lower(${IMPORT_PLAN}.email) = lower(users.email))`

/** SQL that selects the users to deactivate. Selects nobody if deactivation is off. */
export const selectUsersLeftOut = (columns: string, { isOn }: Pick<PlannedDeactivation, 'isOn'>) =>
  `SELECT ${columns} FROM users WHERE ${isOn} AND ${IS_LEFT_OUT_SQL}`

/**
 * Decides who is deactivated. An import through the API deactivates users even if some rows have errors. A reviewed
 * import deactivates nobody in two cases: if a row matches no user, because the row may be about any of them, or if the
 * file consists of rows that an import refused, because it lists only a few people.
 */
export async function planDeactivation(write: Write, isAsked: boolean, reviewedHeader: string[] | undefined) {
  const isReviewed = reviewedHeader !== undefined
  if (!isAsked || (isReviewed && isRefusedRowsFile(reviewedHeader)))
    return { isOn: false, leftOut: 0, kept: 0, unmatched: 0 }
  const { kept, unmatched } = isReviewed
    ? await write.only<{ kept: number; unmatched: number }>(COUNTS_SQL)
    : { kept: 0, unmatched: 0 }
  const isOn = unmatched === 0
  const counted = selectUsersLeftOut('count(*)::int AS "leftOut"', { isOn })
  return { isOn, ...(await write.only<{ leftOut: number }>(counted)), kept, unmatched }
}

const COUNTS_SQL = `
  SELECT
    (SELECT count(*)::int FROM ${IMPORT_PLAN} WHERE action = 'error' AND matched_id IS NULL) AS unmatched,
    (SELECT count(*)::int FROM users
     WHERE users.deactivated_at IS NULL
       AND users.id IN (SELECT unnest(ARRAY[user_id, owner_id]) FROM ${IMPORT_PLAN} WHERE action = 'error')
       AND NOT EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE action <> 'error' AND ${IMPORT_PLAN}.user_id = users.id)) AS kept`

export async function deactivateUsersLeftOut(write: Write, deactivation: PlannedDeactivation): Promise<void> {
  if (!deactivation.isOn) return
  const columns = "row_number() OVER ()::int AS row_number, id AS user_id, 'deactivate' AS action"
  await write.run(
    `CREATE TEMPORARY TABLE left_out ON COMMIT DROP AS ${selectUsersLeftOut(columns, deactivation)}`,
  )
  const writePieces = await createPieceWriter(write, 'left_out')
  await writePieces(['deactivate'], DEACTIVATE_USERS_SQL)
}

// SQL that deactivates users. It takes their ids as an array, because a join might read all users for each batch.
const DEACTIVATE_USERS_SQL = `
  WITH users AS (
    UPDATE users SET deactivated_at = now(), updated_at = now() FROM users AS former
    WHERE users.id = former.id AND users.id = ANY (ARRAY(SELECT user_id FROM left_out WHERE ${IS_IN_PIECE}))
    RETURNING users.*, ${PREVIOUS_USER_SQL}
  ), calendars AS (DELETE FROM calendars USING users WHERE calendars.user_id = users.id)
  ${recordUsersSql("'deactivated'")}`
