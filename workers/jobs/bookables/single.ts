// One bookable as the API creates, changes and deletes it: what administrators do with several forms is one write here.
import { NEW_BOOKABLE, NO_POSITION } from '../../../shared/bookables/bookable-columns.ts'
import { resolutionOf } from '../../../shared/bookables/bookable-inputs.ts'
import {
  BOOKABLE_STATUSES,
  fullBookableJson,
  selectBookable,
  taggedBookableJson,
} from '../../../shared/bookables/bookables.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { WITH_BUILDINGS } from '../../../shared/locations/locations.ts'
import { MISSING_PLACE, message } from '../../../shared/messages/message.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import { type Handlers, ReplyWithETag, type Write } from '../../runtime/write.ts'
import { resolveAffectedBookings } from '../affected-bookings/resolve-affected-bookings.ts'
import { lockBookable, lockClaims } from '../claims/locks.ts'
import {
  findETag,
  requireFieldInTokenBuildings,
  requireInTokenBuildings,
  requireMatch,
} from '../rows/preconditions.ts'
import { insertRow, lockRow } from '../rows/rows.ts'
import { findAssignees, setAssignees } from './assignees.ts'
import { change, fromNowOn, refuseOtherExclusiveness } from './changes.ts'
import { lockLocation, refuseClaimed, refuseTakenNames, remove } from './creations.ts'

const SELECT_BOOKABLE = selectBookable('?')

export const singleBookableHandlers: Handlers<`bookables.${'create-one' | 'update' | 'delete-one'}`> = {
  async 'bookables.create-one'(write, { location_id, position, assigned_user_ids = [], ...given }) {
    await requireLocation(write, location_id)
    await lockLocation(write, location_id)
    await refuseTakenNames(write, location_id, [given.name], 'name')
    const fields = { ...NEW_BOOKABLE, ...given, ...columnsOf(position), location_id }
    const { data } = await insertRow(write, 'bookables', fields)
    await setAssignees(write, data.id, assigned_user_ids)
    const rows = `bookables ${WITH_BUILDINGS} WHERE bookables.id = ?`
    const text = await write.reply(dataText(fullBookableJson), rows, [data.id])
    return new ReplyWithETag(text, etagOf(text))
  },

  async 'bookables.update'(write, input) {
    const { id, if_match, in_the_way, assigned_user_ids, position, ...given } = input
    await resolveInTheWay(write, input)
    // Only these depend on claims.
    const isClaimed = [given.type, assigned_user_ids, in_the_way].some((each) => each !== undefined)
    const bookable = isClaimed ? await lockBookable(write, id) : await lockRow(write, 'bookables', id)
    await requireMatch(write, if_match, SELECT_BOOKABLE, [id])
    await requireLocation(write, given.location_id)
    await refuseOtherExclusiveness(write, bookable, given.type)
    if (assigned_user_ids !== undefined) await setAssignees(write, id, assigned_user_ids)
    const changes = { ...given, ...columnsOf(position) }
    if (assigned_user_ids === undefined || Object.keys(changes).length > 0) {
      // The assignees have changed its status.
      const present = assigned_user_ids === undefined ? bookable : await lockRow(write, 'bookables', id)
      await change(write, present, changes, 'bookables.update')
    }
    const text = await write.reply(dataText(taggedBookableJson), 'bookables WHERE id = ?', [id])
    return new ReplyWithETag(text, await findETag(write, SELECT_BOOKABLE, [id]))
  },

  /** One with past bookings is kept for their history, hidden. */
  async 'bookables.delete-one'(write, { id, if_match, in_the_way = 'refuse' }) {
    await requireBookable(write, id, if_match)
    const search = { ids: [id], times: fromNowOn(write) }
    await resolveAffectedBookings(write, search, { in_the_way: resolutionOf(in_the_way) })
    await lockClaims(write, [id])
    const { row, former } = await lockRow(write, 'bookables', id, 'FOR UPDATE')
    await requireMatch(write, if_match, SELECT_BOOKABLE, [id])
    await refuseClaimed(write, [id])
    await write.auditRows('bookables.delete', former, {
      before: [{ id, row }],
      after: await remove(write, [id]),
    })
    return null
  },
}

const { blocked } = BOOKABLE_STATUSES

/** Blocking leaves bookings as they are unless the input says otherwise; assigning is refused because of them. */
async function resolveInTheWay(write: Write, input: InputOf<'bookables.update'>): Promise<void> {
  const { id, if_match, in_the_way, assigned_user_ids: wanted = [], status } = input
  const isBlocking = status === blocked
  if (!isBlocking && wanted.length === 0) return
  const present = await requireBookable(write, id, if_match)
  const chosen = { in_the_way: resolutionOf(in_the_way ?? 'refuse') }
  const search = { ids: [id], times: fromNowOn(write) }
  // Bookings on a bookable that is already blocked were resolved when it was blocked.
  if (isBlocking && present.status !== blocked)
    await resolveAffectedBookings(write, search, in_the_way === undefined ? {} : chosen)
  const assignees = await findAssignees(write, id)
  if (wanted.some((user) => !assignees.includes(user)) || assignees.some((user) => !wanted.includes(user)))
    if (wanted.length > 0) await resolveAffectedBookings(write, { ...search, keptUsers: wanted }, chosen)
}

/** What is locked later is checked before, so that nobody learns of bookings in the way of what they cannot change. */
async function requireBookable(write: Write, id: number, etags: string[] | undefined) {
  const select = 'SELECT status FROM bookables WHERE id = ? AND deleted_at IS NULL'
  const found = await write.requireRow<{ status: number }>(select, [id], MISSING_PLACE.bookables)
  await requireInTokenBuildings(write, 'bookables', [id], MISSING_PLACE.bookables)
  await requireMatch(write, etags, SELECT_BOOKABLE, [id])
  return found
}

/** An unknown one breaks a constraint. */
async function requireLocation(write: Write, location_id: number | undefined): Promise<void> {
  const missing = message`There is no floor with this id.`
  if (location_id !== undefined)
    await requireFieldInTokenBuildings(write, 'locations', { location_id }, missing)
}

type PositionInput = InputOf<'bookables.create-one'>['position']

function columnsOf(position: PositionInput) {
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
