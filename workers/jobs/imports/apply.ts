// Applies the plan of an import of users with a handful of statements, each piece by piece over all rows, and
// deactivates the users that no row of its file names. They keep their bookings.
import { NOWHERE, placeOf } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES, changedDataSql } from '../../../shared/changes/changes-shape.ts'
import { insertChanges, NAMED_AUTHOR } from '../../../shared/changes/record.ts'
import { holdsRefusedRows, IMPORTED_TEXTS } from '../../../shared/imports/user-columns.ts'
import { userJsonOf } from '../../../shared/users/users.ts'
import type { Write } from '../../runtime/write.ts'
import { ensureGroups, replaceGroups, replacePlates } from './groups-and-plates.ts'
import { cutIntoPieces, IS_IN_PIECE } from './pieces.ts'
import { IMPORT_PLAN } from './reviewed-imports.ts'

export async function applyPlannedRows(write: Write, columns: string[]): Promise<void> {
  const writePieces = await cutIntoPieces(write, IMPORT_PLAN)
  await writePieces(['create'], CREATE_USERS)
  await write.run(KEEP_FORMER_EVENTS)
  await writePieces(['change', 'restore'], CHANGE_USERS)
  await (await cutIntoPieces(write, 'former_events'))(['touch'], RECORD_EVENTS)
  const [hasGroups, hasPlates] = [columns.includes('groups'), columns.includes('license_plates')]
  if (hasGroups || hasPlates) await setCreatedIds(write)
  const groups = `SELECT DISTINCT unnest(groups) AS name FROM ${IMPORT_PLAN} WHERE action IN ('create', 'change')`
  if (hasGroups) await ensureGroups(write, groups)
  for (const statement of [
    ...(hasGroups ? replaceGroups(ROWS_IN_PIECE) : []),
    ...(hasPlates ? replacePlates(ROWS_IN_PIECE) : []),
  ])
    await writePieces(['create', 'change'], statement)
}

const ROWS_IN_PIECE = `(SELECT * FROM ${IMPORT_PLAN} WHERE action IN ('create', 'change') AND ${IS_IN_PIECE})`

/** Follows `WITH users AS (… RETURNING …)`, and records the change of each user in the same statement. */
const recordUsers = (action: string) =>
  `${insertChanges(
    {
      type: "'user'",
      action,
      id: 'users.id',
      data: String(CHANGED_SHAPES.users.json),
      previous: 'previous',
      place: NOWHERE,
    },
    NAMED_AUTHOR,
  )} FROM users ORDER BY users.id`

/** SQL for that RETURNING: `former` is the row of the user before the statement. */
const PREVIOUS_USER = `${userJsonOf('former')} AS previous`

const CREATE_USERS = `
  WITH users AS (
    INSERT INTO users (email, ${IMPORTED_TEXTS.join(', ')}, extension_attributes)
    SELECT email, ${IMPORTED_TEXTS.join(', ')}, new_attributes FROM ${IMPORT_PLAN} WHERE action = 'create' AND ${IS_IN_PIECE}
    ORDER BY row_number
    RETURNING *, CAST(NULL AS text) AS previous
  ) ${recordUsers("'created'")}`

const WRITTEN = [
  ...['email', ...IMPORTED_TEXTS].map((column) => [column, column]),
  ['extension_attributes', 'new_attributes'],
]
const CHANGE_USERS = `
  WITH users AS (
  UPDATE users
  SET ${WRITTEN.map(([column, planned]) => `${column} = CASE plan.action WHEN 'change' THEN plan.${planned} ELSE users.${column} END`).join(', ')},
    deactivated_at = NULL,
    updated_at = now()
  FROM ${IMPORT_PLAN} AS plan JOIN users AS former ON former.id = plan.user_id
  WHERE users.id = plan.user_id AND plan.action IN ('change', 'restore') AND ${IS_IN_PIECE}
  RETURNING users.*, plan.was_deactivated, ${PREVIOUS_USER}
  ) ${recordUsers("CASE WHEN was_deactivated THEN 'restored' ELSE 'updated' END")}`

// Events contain the names and e-mails of their people: keeps the events as they are before these change.
const KEEP_FORMER_EVENTS = `
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

const RECORD_EVENTS = `
  ${insertChanges(
    {
      type: "'event'",
      action: "'updated'",
      id: 'former_events.id',
      data: changedDataSql('events', 'former_events.id'),
      previous: 'former_events.data',
      place: placeOf('events', 'former_events.id'),
    },
    NAMED_AUTHOR,
  )} FROM former_events WHERE ${IS_IN_PIECE} ORDER BY former_events.id`

async function setCreatedIds(write: Write): Promise<void> {
  await write.run(`
    UPDATE ${IMPORT_PLAN} SET user_id = users.id
    FROM users WHERE action = 'create' AND lower(users.email) = lower(${IMPORT_PLAN}.email)`)
}

export type Deactivation = {
  /** False if deactivation was not requested, or is refused. */
  isOn: boolean
  leftOut: number
  /** The number of active users that only refused rows name. */
  kept: number
  /** The number of refused rows that match no known user. */
  unmatched: number
}

// Users that no row names by its key or its e-mail; rows with errors count too. An empty or broken list
// deactivates nobody.
const IS_LEFT_OUT = `
  users.deactivated_at IS NULL
  AND EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE action <> 'error')
  AND NOT EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE ${IMPORT_PLAN}.user_id = users.id)
  AND NOT EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE lower(${IMPORT_PLAN}.email) = lower(users.email))`

/** Selects the users to deactivate; none if deactivation is off. */
export const leftOutUsers = (columns: string, { isOn }: Pick<Deactivation, 'isOn'>) =>
  `SELECT ${columns} FROM users WHERE ${isOn} AND ${IS_LEFT_OUT}`

/**
 * The API deactivates even if some rows have errors. In a reviewed import, a row that matches nobody may be
 * anybody's, and a file of refused rows lists only a few people: in both cases nobody is deactivated.
 */
export async function planDeactivation(write: Write, isAsked: boolean, reviewedHeader: string[] | undefined) {
  const isReviewed = reviewedHeader !== undefined
  if (!isAsked || (isReviewed && holdsRefusedRows(reviewedHeader)))
    return { isOn: false, leftOut: 0, kept: 0, unmatched: 0 }
  const { kept, unmatched } = isReviewed
    ? await write.only<{ kept: number; unmatched: number }>(COUNTS)
    : { kept: 0, unmatched: 0 }
  const isOn = unmatched === 0
  const counted = leftOutUsers('count(*)::int AS "leftOut"', { isOn })
  return { isOn, ...(await write.only<{ leftOut: number }>(counted)), kept, unmatched }
}

const COUNTS = `
  SELECT
    (SELECT count(*)::int FROM ${IMPORT_PLAN} WHERE action = 'error' AND matched_id IS NULL) AS unmatched,
    (SELECT count(*)::int FROM users
     WHERE users.deactivated_at IS NULL
       AND users.id IN (SELECT unnest(ARRAY[user_id, owner_id]) FROM ${IMPORT_PLAN} WHERE action = 'error')
       AND NOT EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE action <> 'error' AND ${IMPORT_PLAN}.user_id = users.id)) AS kept`

export async function deactivateLeftOut(write: Write, deactivation: Deactivation): Promise<void> {
  if (!deactivation.isOn) return
  const columns = "row_number() OVER ()::int AS row_number, id AS user_id, 'deactivate' AS action"
  await write.run(`CREATE TEMPORARY TABLE left_out ON COMMIT DROP AS ${leftOutUsers(columns, deactivation)}`)
  const writePieces = await cutIntoPieces(write, 'left_out')
  await writePieces(['deactivate'], DEACTIVATE_USERS)
}

// An array, because a join might read all users for each piece.
const DEACTIVATE_USERS = `
  WITH users AS (
    UPDATE users SET deactivated_at = now(), updated_at = now() FROM users AS former
    WHERE users.id = former.id AND users.id = ANY (ARRAY(SELECT user_id FROM left_out WHERE ${IS_IN_PIECE}))
    RETURNING users.*, ${PREVIOUS_USER}
  ), calendars AS (DELETE FROM calendars USING users WHERE calendars.user_id = users.id)
  ${recordUsers("'deactivated'")}`
