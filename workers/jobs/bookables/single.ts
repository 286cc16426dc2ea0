// Creates, changes and deletes one bookable for the API. A single write of the API can do what administrators do in
// several forms.
import { NEW_BOOKABLE_DEFAULTS, NO_POSITION } from '../../../shared/bookables/bookable-columns.ts'
import { computeBookableEtags } from '../../../shared/bookables/bookable-etag.ts'
import { getResolution } from '../../../shared/bookables/bookable-inputs.ts'
import {
  BOOKABLE_STATUSES,
  fullBookableJson,
  selectBookableSql,
  taggedBookableJson,
} from '../../../shared/bookables/bookables.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { JOIN_BUILDINGS_SQL } from '../../../shared/locations/locations.ts'
import { MISSING_PLACE_MESSAGES, message } from '../../../shared/messages/message.ts'
import { dataBodyText } from '../../../shared/schemas/json.ts'
import { computeEtag } from '../../../shared/utilities/etags.ts'
import { type Handlers, ReplyWithETag, type Write } from '../../runtime/write.ts'
import { resolveAffectedBookings } from '../affected-bookings/resolve-affected-bookings.ts'
import { lockClaims } from '../claims/locks.ts'
import { endRoomCalendars } from '../room-calendars/end-calendars.ts'
import {
  findETag,
  refuseOtherETag,
  requireFieldInTokenBuildings,
  requireInTokenBuildings,
} from '../rows/preconditions.ts'
import { insertRow, type LockedRow, lockRow } from '../rows/rows.ts'
import { findAssignees, setAssignees } from './assignees.ts'
import { changeBookable, createOpenTime, refuseUnlessClaimsFitType } from './changes.ts'
import { deleteBookables, lockLocation, refuseClaimedBookables, refuseTakenNames } from './creations.ts'

const SELECT_BOOKABLE = selectBookableSql('?')

export const singleBookableHandlers: Handlers<`bookables.${'create-one' | 'update' | 'delete-one'}`> = {
  async 'bookables.create-one'(write, { location_id, position, assigned_user_ids = [], ...given }) {
    await requireLocation(write, location_id)
    await lockLocation(write, location_id)
    await refuseTakenNames(write, location_id, [given.name], 'name')
    const fields = { ...NEW_BOOKABLE_DEFAULTS, ...given, ...toPositionColumns(position), location_id }
    const { data } = await insertRow(write, 'bookables', fields)
    await setAssignees(write, data.id, assigned_user_ids)
    const rows = `bookables ${JOIN_BUILDINGS_SQL} WHERE bookables.id = ?`
    const text = await write.reply(dataBodyText(fullBookableJson), rows, [data.id])
    return new ReplyWithETag(text, computeEtag(text))
  },

  async 'bookables.update'(write, input) {
    const { id, if_match, in_the_way, assigned_user_ids, position, ...given } = input
    await resolveInTheWay(write, input)
    // Claims only depend on these fields.
    const isClaimed = [given.type, assigned_user_ids, in_the_way].some((each) => each !== undefined)
    if (isClaimed) await lockClaims(write, [id])
    await lockNewLocation(write, input)
    const bookable = await lockRow(write, 'bookables', id)
    await requireContent(write, id, if_match)
    await refuseNameTakenAtNewLocation(write, bookable, given)
    await refuseUnlessClaimsFitType(write, bookable, given.type)
    if (assigned_user_ids !== undefined) await setAssignees(write, id, assigned_user_ids)
    const changes = { ...given, ...toPositionColumns(position) }
    if (assigned_user_ids === undefined || Object.keys(changes).length > 0) {
      // The new assignees have changed the bookable's status, so its row is read again.
      const present = assigned_user_ids === undefined ? bookable : await lockRow(write, 'bookables', id)
      await changeBookable(write, present, changes, 'bookables.update')
    }
    const text = await write.reply(dataBodyText(taggedBookableJson), 'bookables WHERE id = ?', [id])
    const etag = await findETag(write, SELECT_BOOKABLE, [id], (body) => computeBookableEtags(body).whole)
    return new ReplyWithETag(text, etag)
  },

  /** Deletes one bookable. A bookable with past bookings is only hidden, so that its history stays. */
  async 'bookables.delete-one'(write, { id, if_match, in_the_way = 'refuse' }) {
    await requireBookable(write, id, if_match)
    await endRoomCalendars(write, [id])
    const search = { ids: [id], times: createOpenTime(write) }
    await resolveAffectedBookings(write, search, { in_the_way: getResolution(in_the_way) })
    await lockClaims(write, [id])
    const { row, former } = await lockRow(write, 'bookables', id, 'FOR UPDATE')
    await requireContent(write, id, if_match)
    await refuseClaimedBookables(write, [id])
    await write.auditRows('bookables.delete', former, {
      before: [{ id, row }],
      after: await deleteBookables(write, [id]),
    })
    return null
  },
}

/** Checks If-Match. `requireBookable` does not lock the row, so another write may have deleted it since. */
async function requireContent(write: Write, id: number, etags: string[] | undefined): Promise<void> {
  if (etags === undefined) return
  const missing = MISSING_PLACE_MESSAGES.bookables
  const { body } = await write.requireRow<{ body: string }>(SELECT_BOOKABLE, [id], missing)
  refuseOtherETag(etags, computeBookableEtags(body).content)
}

const { blocked } = BOOKABLE_STATUSES

/**
 * Resolves the affected bookings. By default, blocking a bookable leaves its bookings unchanged, and assigning a
 * bookable with bookings is refused.
 */
async function resolveInTheWay(write: Write, input: InputOf<'bookables.update'>): Promise<void> {
  const { id, if_match, in_the_way, assigned_user_ids: wanted = [], status } = input
  const isBlocking = status === blocked
  if (!isBlocking && wanted.length === 0) return
  const present = await requireBookable(write, id, if_match)
  const chosen = { in_the_way: getResolution(in_the_way ?? 'refuse') }
  const search = { ids: [id], times: createOpenTime(write) }
  // If the bookable is already blocked, its bookings were resolved when it was blocked.
  if (isBlocking && present.status !== blocked)
    await resolveAffectedBookings(write, search, in_the_way === undefined ? {} : chosen)
  const assignees = await findAssignees(write, id)
  if (wanted.some((user) => !assignees.includes(user)) || assignees.some((user) => !wanted.includes(user)))
    if (wanted.length > 0) await resolveAffectedBookings(write, { ...search, keptUsers: wanted }, chosen)
}

/**
 * Checks the caller's access before locking anything, so that callers learn nothing about bookings on a bookable that
 * they must not change.
 */
async function requireBookable(write: Write, id: number, etags: string[] | undefined) {
  const select = 'SELECT status FROM bookables WHERE id = ? AND deleted_at IS NULL'
  const found = await write.requireRow<{ status: number }>(select, [id], MISSING_PLACE_MESSAGES.bookables)
  await requireInTokenBuildings(write, 'bookables', [id], MISSING_PLACE_MESSAGES.bookables)
  await requireContent(write, id, etags)
  return found
}

/** Locks the location to which the bookable moves. Every write locks locations before bookables. */
async function lockNewLocation(write: Write, { id, if_match, location_id }: InputOf<'bookables.update'>) {
  if (location_id === undefined) return
  await requireBookable(write, id, if_match)
  await requireLocation(write, location_id)
  await lockLocation(write, location_id)
}

/** Refuses a move to a location where the name is taken. A bookable that stays in its location may get a name that is taken. */
async function refuseNameTakenAtNewLocation(
  write: Write,
  { row }: LockedRow,
  { name = String(row.name), location_id }: { name?: string | undefined; location_id?: number | undefined },
) {
  if (location_id === undefined || location_id === row.location_id) return
  await refuseTakenNames(write, location_id, [name], 'location_id')
}

/** Refuses a location outside the token's buildings. `lockLocation` refuses one that does not exist. */
async function requireLocation(write: Write, location_id: number | undefined): Promise<void> {
  const missing = message`There is no floor with this id.`
  if (location_id !== undefined)
    await requireFieldInTokenBuildings(write, 'locations', { location_id }, missing)
}

type PositionInput = InputOf<'bookables.create-one'>['position']

function toPositionColumns(position: PositionInput) {
  if (position === undefined) return {}
  if (position === null) return NO_POSITION
  const { x, y, width, height, rotation } = position
  return {
    position_x: x,
    position_y: y,
    ...(width !== undefined && { position_width: width }),
    ...(height !== undefined && { position_height: height }),
    ...(rotation !== undefined && { position_rotation: rotation }),
  }
}
