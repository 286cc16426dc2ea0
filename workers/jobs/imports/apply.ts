// Applies the plan with a handful of statements, each piece by piece over all rows.
import { NOWHERE, placeOf } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES, changedDataSql } from '../../../shared/changes/changes-shape.ts'
import { insertChanges, NAMED_AUTHOR } from '../../../shared/changes/record.ts'
import { IMPORTED_TEXTS } from '../../../shared/imports/user-columns.ts'
import { userJsonOf } from '../../../shared/users/users.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { ensureGroups, replaceGroups, replacePlates } from './groups-and-plates.ts'
import { cutIntoPieces, IS_IN_PIECE } from './pieces.ts'
import { IMPORT_PLAN } from './reviewed-imports.ts'

export async function applyPlannedRows(
  trx: Transaction,
  columns: string[],
  context: WorkContext,
): Promise<void> {
  const writePieces = await cutIntoPieces(trx, IMPORT_PLAN, context)
  await writePieces(['create'], CREATE_USERS)
  await trx.raw(KEEP_FORMER_EVENTS)
  await writePieces(['change', 'restore'], CHANGE_USERS)
  await (await cutIntoPieces(trx, 'former_events', context))(['touch'], RECORD_EVENTS)
  const [hasGroups, hasPlates] = [columns.includes('groups'), columns.includes('license_plates')]
  if (hasGroups || hasPlates) await setCreatedIds(trx)
  const groups = `SELECT DISTINCT unnest(groups) AS name FROM ${IMPORT_PLAN} WHERE action IN ('create', 'change')`
  if (hasGroups) await ensureGroups(trx, groups, context)
  for (const statement of [
    ...(hasGroups ? replaceGroups(ROWS_IN_PIECE) : []),
    ...(hasPlates ? replacePlates(ROWS_IN_PIECE) : []),
  ])
    await writePieces(['create', 'change'], statement)
}

const ROWS_IN_PIECE = `(SELECT * FROM ${IMPORT_PLAN} WHERE action IN ('create', 'change') AND ${IS_IN_PIECE})`

/** Follows `WITH users AS (… RETURNING …)`, and records the change of each user in the same statement. */
export const recordUsers = (action: string) =>
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
export const PREVIOUS_USER = `${userJsonOf('former')} AS previous`

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

async function setCreatedIds(trx: Transaction): Promise<void> {
  await trx.raw(`
    UPDATE ${IMPORT_PLAN} SET user_id = users.id
    FROM users WHERE action = 'create' AND lower(users.email) = lower(${IMPORT_PLAN}.email)`)
}
