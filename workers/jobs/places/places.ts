// Creates, copies, changes and deletes buildings and locations for administrators, and sets floor plans.
import type { BookableFields } from '../../../shared/bookables/bookable-columns.ts'
import { BOOKABLE_STATUSES, BOOKABLES_PER_WRITE_MAX } from '../../../shared/bookables/bookables.ts'
import { fullBuildingJson, selectBuildingSql } from '../../../shared/buildings/buildings.ts'
import { NEWLY_CREATED } from '../../../shared/changes/former-state.ts'
import { LOCKS, waitForLockSql } from '../../../shared/database/locks.ts'
import { fullLocationJson, selectLocationSql } from '../../../shared/locations/locations.ts'
import { formatShape, type PlanShape } from '../../../shared/locations/plan-shapes.ts'
import { countedMessage, fieldName, message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { ruleRowsSql } from '../../../shared/rules/rules-shape.ts'
import { dataBodyText } from '../../../shared/schemas/json.ts'
import { computeEtag } from '../../../shared/utilities/etags.ts'
import { deleteFile } from '../../runtime/files.ts'
import { type AuditedRow, type Handlers, ReplyWithETag, type Write } from '../../runtime/write.ts'
import { BOOKABLE_FIELDS_SQL, insertBookables } from '../bookables/creations.ts'
import {
  refuseOtherVersion,
  requireFieldInTokenBuildings,
  requireMatch,
  requireVersion,
} from '../rows/preconditions.ts'
import { auditedRowSql, createIdReply, deleteRow, insertRow, lockRow, updateRow } from '../rows/rows.ts'
import { createBlankFloorPlan, NO_FLOOR_PLAN, readFloorPlan } from './floor-plans.ts'
import { refuseRemainingBookables, removeUnusedBookables } from './remaining-bookables.ts'

const UNKNOWN_TIMEZONE_CODE = '22023'
const { blocked, flexible } = BOOKABLE_STATUSES

type PlaceActions = 'create' | 'update' | 'delete'
type PlaceJobNames =
  | `buildings.${PlaceActions}`
  | `locations.${PlaceActions | 'copy' | 'set-floor-plan' | 'set-blank-floor-plan' | 'set-cell-width' | 'set-plan-shapes'}`

export const placeHandlers: Handlers<PlaceJobNames> = {
  async 'buildings.create'(write, { name, address = '', timezone = 'UTC' }) {
    if (write.buildingIds !== undefined) throw new Refusal('outside_buildings', CANNOT_CREATE_MESSAGE)
    await refuseUnknownTimezone(write, timezone)
    await refuseTakenName(write, name)
    return replyWithBuilding(write, await insertRow(write, 'buildings', { name, address, timezone }))
  },

  async 'buildings.update'(write, { id, version, if_match, ...fields }) {
    await refuseUnknownTimezone(write, fields.timezone)
    await refuseTakenName(write, fields.name, id)
    const building = await lockRow(write, 'buildings', id)
    await requireVersion(write, 'buildings', id, version)
    await requireMatch(write, if_match, selectBuildingSql('?'), [id])
    return replyWithBuilding(write, await updateRow(write, building, fields))
  },

  async 'buildings.delete'(write, { id, if_match }) {
    const building = await lockRow(write, 'buildings', id, 'FOR UPDATE')
    await requireMatch(write, if_match, selectBuildingSql('?'), [id])
    const number = await countRows(write, 'locations WHERE building_id = ?', id)
    const detail = countedMessage(
      number,
      '{0} still has # floor. Delete or move it first.',
      '{0} still has # floors. Delete or move them first.',
      String(building.row.name),
    )
    if (number > 0) throw new Refusal('in_use', detail)
    await deleteRow(write, building)
    return null
  },

  async 'locations.create'(write, { building_id, name, code = '' }) {
    await requireBuilding(write, building_id)
    return replyWithLocation(write, await insertRow(write, 'locations', { building_id, name, code }))
  },

  async 'locations.update'(write, { id, version, if_match, ...fields }) {
    const location = await lockRow(write, 'locations', id)
    const moving = fields.building_id === undefined ? [] : await lockBookablesIn(write, id)
    await requireVersion(write, 'locations', id, version)
    await requireMatch(write, if_match, selectLocationSql('?'), [id])
    await requireBuilding(write, fields.building_id)
    const isMoved = fields.building_id !== undefined && fields.building_id !== location.row.building_id
    const former = await write.readFormer('bookables', isMoved ? moving : [])
    const reply = await updateRow(write, location, fields)
    // The location has moved to another building, so tokens that are limited to buildings may have gained or
    // lost access. No changes are recorded for bookings, because they follow their bookable.
    await write.recordChanges({ resource: 'bookables', action: 'updated' }, former)
    return replyWithLocation(write, reply)
  },

  async 'locations.delete'(write, { id, if_match }) {
    const location = await lockRow(write, 'locations', id, 'FOR UPDATE')
    await requireMatch(write, if_match, selectLocationSql('?'), [id])
    await removeUnusedBookables(write, id)
    await refuseRemainingBookables(write, id, String(location.row.name))
    await deleteRow(write, location)
    return null
  },

  /**
   * Copies a location with its floor plan, its bookables and their positions, as if somebody had added them by hand.
   * Copies nothing that belongs to people: no bookings, assignments, rules or mailboxes of rooms.
   */
  async 'locations.copy'(write, { id, building_id, name, code = '' }) {
    await lockRow(write, 'locations', id)
    if (
      (await countRows(write, 'bookables WHERE location_id = ? AND deleted_at IS NULL', id)) >
      BOOKABLES_PER_WRITE_MAX
    ) {
      const detail = message`The floor has more than ${BOOKABLES_PER_WRITE_MAX} desks and rooms, which is too many to copy at once.`
      throw new Refusal('in_use', detail)
    }
    const floorPlan = [...Object.keys(NO_FLOOR_PLAN), 'cell_width', 'plan_shapes'].join(', ')
    const copy = await write.only<AuditedRow>(
      `INSERT INTO locations (building_id, name, code, ${floorPlan})
       SELECT :building_id, :name, :code, ${floorPlan} FROM locations WHERE id = :id
       RETURNING ${auditedRowSql('locations')}`,
      { id, building_id, name, code },
    )
    await write.audit({ action: 'locations.create', id: copy.id, former: NEWLY_CREATED, after: copy.row })
    await copyBookables(write, { from: id, to: copy.id })
    return createIdReply(copy.id)
  },

  async 'locations.set-cell-width'(write, { id, cell_width }) {
    return updateRow(write, await lockRow(write, 'locations', id), { cell_width })
  },

  async 'locations.set-plan-shapes'(write, { id, shapes, before }) {
    const location = await lockRow(write, 'locations', id)
    const lines = (of: PlanShape[]) => of.map(formatShape).join('\n')
    const { present } = await write.only<{ present: PlanShape[] | null }>(
      'SELECT plan_shapes AS present FROM locations WHERE id = ?',
      [id],
    )
    const [version, expected] = [lines(present ?? []), lines(before)]
    refuseOtherVersion(expected, { version, present })
    return updateRow(write, location, { plan_shapes: JSON.stringify(shapes) })
  },

  async 'locations.set-blank-floor-plan'(write, { id }) {
    const location = await lockRow(write, 'locations', id)
    await updateRow(write, location, createBlankFloorPlan(), 'locations.set-floor-plan')
    return createIdReply(id)
  },

  /**
   * Sets the floor plan of a location. Bookables keep their positions, which are relative to the size of the picture.
   */
  async 'locations.set-floor-plan'(write, { id, file_id }) {
    const location = await lockRow(write, 'locations', id)
    const fields = file_id === null ? NO_FLOOR_PLAN : await readFloorPlan(write, file_id)
    await updateRow(write, location, fields, 'locations.set-floor-plan')
    if (file_id !== null) await deleteFile(write.trx, file_id)
    return createIdReply(id)
  },
}

const CANNOT_CREATE_MESSAGE = message`This token is limited to buildings, so it cannot create one.`

type CreatedReply = { data: { id: number } }

/** Returns a reply with what a GET of the building returns, and with its ETag. */
async function replyWithBuilding(write: Write, { data: { id } }: CreatedReply) {
  const text = await write.reply(dataBodyText(fullBuildingJson), 'buildings WHERE buildings.id = ?', [id])
  return new ReplyWithETag(text, computeEtag(text))
}

async function replyWithLocation(write: Write, { data: { id } }: CreatedReply) {
  const text = await write.reply(
    dataBodyText(fullLocationJson),
    `${ruleRowsSql('locations')} WHERE locations.id = ?`,
    [id],
  )
  return new ReplyWithETag(text, computeEtag(text))
}

/** Hides buildings outside the token's buildings. An id that does not exist violates a constraint later. */
async function requireBuilding(write: Write, id: number | undefined): Promise<void> {
  const missing = message`There is no building with this id.`
  if (id !== undefined) await requireFieldInTokenBuildings(write, 'buildings', { building_id: id }, missing)
}

async function countRows(write: Write, rows: string, id: number): Promise<number> {
  return (await write.only<{ number: number }>(`SELECT count(*)::int AS number FROM ${rows}`, [id])).number
}

// Refuses a name that another building has, ignoring letter case. Buildings that already share a name may keep it.
async function refuseTakenName(write: Write, name: string | undefined, id: number | null = null) {
  if (name === undefined) return
  await write.run(`SELECT ${waitForLockSql(LOCKS.buildingNames)}`)
  const other = await write.first(
    `SELECT FROM buildings WHERE lower(name) = lower(:name) AND NOT EXISTS (
       SELECT FROM buildings WHERE id = :id AND lower(name) = lower(:name)
     ) LIMIT 1`,
    { name, id },
  )
  if (other) throw invalidFields({ name: [message`Another building has this name.`] })
}

// Refuses a time zone that Postgres does not know. Postgres computes “today” in a building, and may not know every time
// zone that Node knows.
async function refuseUnknownTimezone(write: Write, timezone: string | undefined): Promise<void> {
  if (timezone === undefined) return
  try {
    await write.trx.transaction((savepoint) => savepoint.raw('SELECT now() AT TIME ZONE ?', [timezone]))
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNKNOWN_TIMEZONE_CODE) throw error
    throw invalidFields({
      timezone: [message`${fieldName('timezone')} must be an IANA time zone name such as Europe/Berlin.`],
    })
  }
}

// Locks the bookables in a location, so that no later write reports one of them with its previous building. The location
// must already be locked, so that nobody adds a bookable to it.
const lockBookablesIn = (write: Write, id: number) =>
  write.ids(
    'SELECT id FROM bookables WHERE location_id = ? AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE',
    [id],
  )

// Copies bookables. Assigned bookables become free in the copy, and blocked ones stay blocked.
async function copyBookables(write: Write, { from, to }: { from: number; to: number }): Promise<void> {
  const rows = await write.all<BookableFields>(
    `SELECT ${BOOKABLE_FIELDS_SQL} FROM bookables WHERE location_id = ? AND deleted_at IS NULL ORDER BY id`,
    [from],
  )
  const copies = rows.map((row) => ({ ...row, status: row.status === blocked ? blocked : flexible }))
  await insertBookables(write, to, copies)
}
