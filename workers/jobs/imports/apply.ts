// Applies the plan with a handful of statements, each piece by piece over all rows.
import { NOWHERE, placeOf } from '../../../shared/changes/buildings.ts'
import { CHANGED_SHAPES, changedDataSql } from '../../../shared/changes/changes-shape.ts'
import { insertChanges, NAMED_AUTHOR } from '../../../shared/changes/record.ts'
import { userJson } from '../../../shared/users/users-shape.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { ensureGroups } from './groups-and-plates.ts'
import { IMPORT_PLAN } from './import-plan.ts'
import { cutIntoPieces, IS_IN_PIECE, type WritePieces } from './pieces.ts'

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
  if (columns.includes('groups') || columns.includes('license_plates')) await setCreatedIds(trx)
  if (columns.includes('groups')) await applyGroups(trx, writePieces, context)
  if (columns.includes('license_plates')) await applyPlates(writePieces)
}

/** Follows \`WITH users AS (… RETURNING …)\`, and records the change of each user in the same statement. */
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
export const PREVIOUS_USER = `${userJson('former')} AS previous`

const CREATE_USERS = `
  WITH users AS (
    INSERT INTO users (email, name, extension_attributes)
    SELECT email, name, new_attributes FROM ${IMPORT_PLAN} WHERE action = 'create' AND ${IS_IN_PIECE}
    ORDER BY row_number
    RETURNING *, CAST(NULL AS text) AS previous
  ) ${recordUsers("'created'")}`

const CHANGE_USERS = `
  WITH users AS (
  UPDATE users
  SET email = CASE WHEN plan.action = 'change' THEN plan.email ELSE users.email END,
    name = CASE WHEN plan.action = 'change' THEN coalesce(plan.name, users.name) ELSE users.name END,
    extension_attributes = CASE WHEN plan.action = 'change' THEN plan.new_attributes ELSE users.extension_attributes END,
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

const HAS_LISTS = `${IMPORT_PLAN}.action IN ('create', 'change')`
const WITH_LISTS = ['create', 'change']

async function applyGroups(trx: Transaction, writePieces: WritePieces, context: WorkContext): Promise<void> {
  await ensureGroups(
    trx,
    `SELECT DISTINCT unnest(groups) AS name FROM ${IMPORT_PLAN} WHERE ${HAS_LISTS}`,
    context,
  )
  await writePieces(WITH_LISTS, LEAVE_GROUPS)
  await writePieces(WITH_LISTS, JOIN_GROUPS)
}

const LEAVE_GROUPS = `
  DELETE FROM group_members USING ${IMPORT_PLAN}, groups
  WHERE ${HAS_LISTS} AND ${IS_IN_PIECE} AND group_members.user_id = ${IMPORT_PLAN}.user_id
    AND groups.id = group_members.group_id AND groups.name <> ALL (${IMPORT_PLAN}.groups)`

const JOIN_GROUPS = `
  INSERT INTO group_members (group_id, user_id)
  SELECT groups.id, wanted.user_id
  FROM (SELECT user_id, unnest(groups) AS name FROM ${IMPORT_PLAN} WHERE ${HAS_LISTS} AND ${IS_IN_PIECE}) AS wanted
  JOIN groups ON groups.name = wanted.name
  ON CONFLICT DO NOTHING`

// A booking keeps the plate that it was made with.
async function applyPlates(writePieces: WritePieces): Promise<void> {
  await writePieces(WITH_LISTS, DELETE_PLATES)
  await writePieces(WITH_LISTS, ADD_PLATES)
}

const DELETE_PLATES = `
  DELETE FROM vehicles USING ${IMPORT_PLAN}
  WHERE ${HAS_LISTS} AND ${IS_IN_PIECE} AND vehicles.user_id = ${IMPORT_PLAN}.user_id
    AND vehicles.license_plate <> ALL (${IMPORT_PLAN}.license_plates)`

const ADD_PLATES = `
  INSERT INTO vehicles (user_id, license_plate)
  SELECT user_id, unnest(license_plates) FROM ${IMPORT_PLAN} WHERE ${HAS_LISTS} AND ${IS_IN_PIECE}
  ON CONFLICT DO NOTHING`
