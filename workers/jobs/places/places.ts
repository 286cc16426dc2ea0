// Buildings and locations: created, copied, changed and deleted by administrators, and given a floor plan.
import type { BookableFields } from '../../../shared/bookables/bookable-columns.ts'
import { BOOKABLE_STATUSES, MANY_MAX } from '../../../shared/bookables/bookables.ts'
import { fullBuildingJson, selectBuilding } from '../../../shared/buildings/buildings.ts'
import { CREATED } from '../../../shared/changes/former.ts'
import { LOCKS, waitForLock } from '../../../shared/database/locks.ts'
import { fullLocationJson, selectLocation } from '../../../shared/locations/locations.ts'
import { formatShape, type PlanShape } from '../../../shared/locations/plan-shapes.ts'
import { counted, field, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { ruleRows } from '../../../shared/rules/rules-shape.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import { forgetFile } from '../../runtime/files.ts'
import { type AuditedRow, type Handlers, ReplyWithETag, type Write } from '../../runtime/write.ts'
import { FIELDS, insertBookables } from '../bookables/creations.ts'
import {
  refuseOtherVersion,
  requireFieldInTokenBuildings,
  requireMatch,
  requireVersion,
} from '../rows/preconditions.ts'
import { auditedRow, deleteRow, idReply, insertRow, lockRow, updateRow } from '../rows/rows.ts'
import { blankFloorPlan, NO_FLOOR_PLAN, readFloorPlan } from './floor-plans.ts'
import { refuseInhabited, removeUnusedBookables } from './remaining-bookables.ts'

const UNKNOWN_TIMEZONE = '22023'
const { blocked, flexible } = BOOKABLE_STATUSES

type Actions = 'create' | 'update' | 'delete'
type Names =
  | `buildings.${Actions}`
  | `locations.${Actions | 'copy' | 'set-floor-plan' | 'set-blank-floor-plan' | 'set-cell-width' | 'set-plan-shapes'}`

export const placeHandlers: Handlers<Names> = {
  async 'buildings.create'(write, { name, address = '', timezone = 'UTC' }) {
    if (write.buildingIds !== undefined) throw new Refusal('outside_buildings', CANNOT_CREATE)
    await refuseUnknownTimezone(write, timezone)
    await refuseTakenName(write, name)
    return replyWithBuilding(write, await insertRow(write, 'buildings', { name, address, timezone }))
  },

  async 'buildings.update'(write, { id, version, if_match, ...fields }) {
    await refuseUnknownTimezone(write, fields.timezone)
    await refuseTakenName(write, fields.name, id)
    const building = await lockRow(write, 'buildings', id)
    await requireVersion(write, 'buildings', id, version)
    await requireMatch(write, if_match, selectBuilding('?'), [id])
    return replyWithBuilding(write, await updateRow(write, building, fields))
  },

  async 'buildings.delete'(write, { id, if_match }) {
    const building = await lockRow(write, 'buildings', id, 'FOR UPDATE')
    await requireMatch(write, if_match, selectBuilding('?'), [id])
    const number = await count(write, 'locations WHERE building_id = ?', id)
    const detail = counted(
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
    const moving = fields.building_id === undefined ? [] : await lockBookablesIn(write, id)
    const location = await lockRow(write, 'locations', id)
    await requireVersion(write, 'locations', id, version)
    await requireMatch(write, if_match, selectLocation('?'), [id])
    await requireBuilding(write, fields.building_id)
    const isMoved = fields.building_id !== undefined && fields.building_id !== location.row.building_id
    const former = await write.readFormer('bookables', isMoved ? moving : [])
    const reply = await updateRow(write, location, fields)
    // The bookables' building has changed, and limited tokens may have lost or gained them. Their bookings lie
    // wherever they do, so they have no changes of their own.
    await write.recordChanges({ resource: 'bookables', action: 'updated' }, former)
    return replyWithLocation(write, reply)
  },

  async 'locations.delete'(write, { id, if_match }) {
    const location = await lockRow(write, 'locations', id, 'FOR UPDATE')
    await requireMatch(write, if_match, selectLocation('?'), [id])
    await removeUnusedBookables(write, id)
    await refuseInhabited(write, id, String(location.row.name))
    await deleteRow(write, location)
    return null
  },

  /**
   * Copies a location with its floor plan and its bookables with their positions, as if they were added by
   * hand. Nothing that belongs to people is copied: bookings, assignments, rules, or a room's own mailbox.
   */
  async 'locations.copy'(write, { id, building_id, name, code = '' }) {
    await lockRow(write, 'locations', id)
    if ((await count(write, 'bookables WHERE location_id = ? AND deleted_at IS NULL', id)) > MANY_MAX) {
      const detail = message`It has more than ${MANY_MAX} desks and rooms, which is too many to copy at once.`
      throw new Refusal('in_use', detail)
    }
    const floorPlan = [...Object.keys(NO_FLOOR_PLAN), 'cell_width', 'plan_shapes'].join(', ')
    const copy = await write.only<AuditedRow>(
      `INSERT INTO locations (building_id, name, code, ${floorPlan})
       SELECT :building_id, :name, :code, ${floorPlan} FROM locations WHERE id = :id
       RETURNING ${auditedRow('locations')}`,
      { id, building_id, name, code },
    )
    await write.audit({ action: 'locations.create', id: copy.id, former: CREATED, after: copy.row })
    await copyBookables(write, { from: id, to: copy.id })
    return idReply(copy.id)
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
    await updateRow(write, location, blankFloorPlan(), 'locations.set-floor-plan')
    return idReply(id)
  },

  /** The positions of bookables stay: they are shares of the picture's size. */
  async 'locations.set-floor-plan'(write, { id, file_id }) {
    const location = await lockRow(write, 'locations', id)
    const fields = file_id === null ? NO_FLOOR_PLAN : await readFloorPlan(write, file_id)
    await updateRow(write, location, fields, 'locations.set-floor-plan')
    if (file_id !== null) await forgetFile(write.trx, file_id)
    return idReply(id)
  },
}

const CANNOT_CREATE = message`This token is limited to buildings, so it cannot create one.`

type Created = { data: { id: number } }

/** The answer of GET, and its ETag. */
async function replyWithBuilding(write: Write, { data: { id } }: Created) {
  const text = await write.reply(dataText(fullBuildingJson), 'buildings WHERE buildings.id = ?', [id])
  return new ReplyWithETag(text, etagOf(text))
}

async function replyWithLocation(write: Write, { data: { id } }: Created) {
  const text = await write.reply(
    dataText(fullLocationJson),
    `${ruleRows('locations')} WHERE locations.id = ?`,
    [id],
  )
  return new ReplyWithETag(text, etagOf(text))
}

/** An unknown one breaks a constraint. */
async function requireBuilding(write: Write, id: number | undefined): Promise<void> {
  const missing = message`There is no building with this id.`
  if (id !== undefined) await requireFieldInTokenBuildings(write, 'buildings', { building_id: id }, missing)
}

async function count(write: Write, rows: string, id: number): Promise<number> {
  return (await write.only<{ number: number }>(`SELECT count(*)::int AS number FROM ${rows}`, [id])).number
}

// Ignores case, which nobody hears. Buildings that already share a name may keep it.
async function refuseTakenName(write: Write, name: string | undefined, id: number | null = null) {
  if (name === undefined) return
  await write.run(`SELECT ${waitForLock(LOCKS.buildingNames)}`)
  const other = await write.first(
    `SELECT FROM buildings WHERE lower(name) = lower(:name) AND NOT EXISTS (
       SELECT FROM buildings WHERE id = :id AND lower(name) = lower(:name)
     ) LIMIT 1`,
    { name, id },
  )
  if (other) throw invalid({ name: [message`There is another building with this name.`] })
}

// Postgres computes “today” in a building, and may not know every time zone name that Node knows.
async function refuseUnknownTimezone(write: Write, timezone: string | undefined): Promise<void> {
  if (timezone === undefined) return
  try {
    await write.trx.transaction((savepoint) => savepoint.raw('SELECT now() AT TIME ZONE ?', [timezone]))
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNKNOWN_TIMEZONE) throw error
    throw invalid({
      timezone: [message`${field('timezone')} must be an IANA time zone name such as Europe/Berlin.`],
    })
  }
}

// Locks the bookables, so that no other write reports one with its former building after this one. Bookables
// are locked before their location, as when a location is closed.
const lockBookablesIn = (write: Write, id: number) =>
  write.ids(
    'SELECT id FROM bookables WHERE location_id = ? AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE',
    [id],
  )

// Assigned bookables are free in the copy; blocked ones stay blocked.
async function copyBookables(write: Write, { from, to }: { from: number; to: number }): Promise<void> {
  const rows = await write.all<BookableFields>(
    `SELECT ${FIELDS} FROM bookables WHERE location_id = ? AND deleted_at IS NULL ORDER BY id`,
    [from],
  )
  const copies = rows.map((row) => ({ ...row, status: row.status === blocked ? blocked : flexible }))
  await insertBookables(write, to, copies)
}
