// Changes bookables for administrators, one or several at once. Either all of them are changed or none. Bookables that
// already match stay unchanged, and the audit log has an entry for each changed one.
import { NO_POSITION } from '../../../shared/bookables/bookable-columns.ts'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES, TAGS_MAX } from '../../../shared/bookables/bookables.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { countedMessage, fieldName, message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import type { AffectedBookingsInput } from '../../../shared/rules/affected-bookings-input.ts'
import { versionSql } from '../../../shared/schemas/versions.ts'
import type { AuditedRow, Handlers, Write } from '../../runtime/write.ts'
import { resolveAffectedBookings } from '../affected-bookings/resolve-affected-bookings.ts'
import {
  countFutureClaims,
  findBookables,
  lockBookable,
  lockBookables,
  lockClaims,
  refuseChangedSinceRead,
} from '../claims/locks.ts'
import { requireVersion } from '../rows/preconditions.ts'
import { formatUpcomingCount, type LockedRow, lockRow, updateRow } from '../rows/rows.ts'
import { formatNames, lockLocation, refuseTakenNames, updateBookables } from './creations.ts'

const { assigned, blocked, flexible } = BOOKABLE_STATUSES

type BookableVerbs = 'edit' | 'set-position' | 'set-positions' | 'set-status' | 'set-tags' | 'relocate'

export const bookableHandlers: Handlers<`bookables.${BookableVerbs}`> = {
  /** Changes a bookable for an administrator, who may change every field except the position. */
  async 'bookables.edit'(write, { id, version, in_the_way, release_id, ...changes }) {
    const present = await write.first<{ status: number }>('SELECT status FROM bookables WHERE id = ?', [id])
    // If the bookable is already blocked, its bookings were resolved when an administrator blocked it.
    if (changes.status === blocked && present?.status !== blocked) {
      await resolveAffectedBookings(
        write,
        { ids: [id], times: createOpenTime(write) },
        { in_the_way, release_id },
      )
    }
    const bookable = await lockBookable(write, id)
    await requireVersion(write, 'bookables', id, version)
    await refuseUnlessClaimsFitType(write, bookable, changes.type)
    return changeBookable(write, bookable, changes, 'bookables.edit')
  },

  /** Sets a bookable's position. Locks only the row, because claims do not depend on positions. */
  async 'bookables.set-position'(write, { id, version, x, y, rotation, width, height }) {
    const bookable = await lockRow(write, 'bookables', id)
    await requireVersion(write, 'positions', id, version)
    const fields = {
      position_x: x,
      position_y: y,
      position_rotation: rotation,
      position_width: width,
      position_height: height,
      updated_at: write.trx.fn.now(),
    }
    return updateRow(write, bookable, fields, 'bookables.set-position')
  },

  async 'bookables.set-positions'(write, { positions }) {
    const positionOf = new Map(positions.map((each) => [each.id, each]))
    if (positionOf.size < positions.length)
      throw invalidFields({ positions: [message`${fieldName('positions')} must contain each id only once.`] })
    const found = await lockBookables(write, [...positionOf.keys()])
    await refusePositionConflicts(write, found, positions)
    const moving = found.filter(({ id, row }) => {
      const position = positionOf.get(id)
      const { x, y, rotation = row.position_rotation ?? 0 } = position ?? {}
      const { width = row.position_width, height = row.position_height } = position ?? {}
      const isSized = row.position_width !== width || row.position_height !== height
      return (
        isSized || row.position_x !== x || row.position_y !== y || (row.position_rotation ?? 0) !== rotation
      )
    })
    return updateBookables(write, moving, {
      action: 'bookables.set-position',
      set: `position_x = given.x, position_y = given.y,
        position_rotation = coalesce(given.rotation, bookables.position_rotation),
        position_width = CASE WHEN given.keeps_size THEN bookables.position_width ELSE given.width END,
        position_height = CASE WHEN given.keeps_size THEN bookables.position_height ELSE given.height END`,
      given: `jsonb_to_recordset(CAST(:positions AS jsonb))
        AS given (id bigint, x double precision, y double precision, rotation smallint,
          width double precision, height double precision, keeps_size boolean)`,
      values: {
        positions: JSON.stringify(
          positions.map((each) => ({
            ...each,
            keeps_size: each.width === undefined && each.height === undefined,
          })),
        ),
      },
    })
  },

  async 'bookables.set-status'(write, { ids, status, ...resolutionInput }) {
    const distinct = [...new Set(ids)]
    const changing =
      status === blocked
        ? await lockUnblocked(write, distinct, resolutionInput)
        : (await lockBookables(write, distinct)).filter(({ row }) => row.status === blocked)
    const values = { status: status === blocked ? blocked : flexible }
    return updateBookables(write, changing, { set: 'status = :status', values })
  },

  /** Adds and removes tags. Locks only the rows, because claims do not depend on tags. */
  async 'bookables.set-tags'(write, { ids, add, remove }) {
    const found = await lockBookables(write, [...new Set(ids)])
    const tagged = found.map((bookable) => {
      const present = bookable.row.tags as string[]
      const kept = present.filter((tag) => !remove.includes(tag))
      return { bookable, present, tags: [...new Set([...kept, ...add])] }
    })
    const full = tagged.filter(({ tags }) => tags.length > TAGS_MAX).map(({ bookable }) => bookable)
    if (full.length > 0) {
      throw invalidFields({
        add: [message`${formatNames(full)} would have more than ${TAGS_MAX} tags. Nothing was changed.`],
      })
    }
    const changing = tagged.filter(({ present, tags }) => tags.join('\u0000') !== present.join('\u0000'))
    const tags = Object.fromEntries(changing.map(({ bookable, tags }) => [bookable.id, tags]))
    const set = `tags = ARRAY(SELECT jsonb_array_elements_text(CAST(:tags AS jsonb) -> CAST(bookables.id AS text)))`
    const rows = changing.map(({ bookable }) => bookable)
    return updateBookables(write, rows, { set, values: { tags: JSON.stringify(tags) } })
  },

  /** Moves bookables to another location. Clears their positions, which were on the previous location's floor plan. */
  async 'bookables.relocate'(write, { location_id, ...input }) {
    const ids = [...new Set(input.ids)]
    await lockClaims(write, ids)
    await lockLocation(write, location_id)
    const found = await lockBookables(write, ids)
    const moving = found.filter(({ row }) => row.location_id !== location_id)
    const names = moving.map(({ row }) => String(row.name))
    await refuseTakenNames(write, location_id, names, 'location_id')
    const cleared = Object.keys(NO_POSITION).map((column) => `${column} = NULL`)
    const set = `location_id = :location_id, ${cleared.join(', ')}`
    return updateBookables(write, moving, { set, values: { location_id } })
  },
}

export const createOpenTime = ({ now }: Write) => [{ from: now, to: null }]

type BookableChanges = Omit<InputOf<'bookables.edit'>, 'id' | 'version' | 'in_the_way' | 'release_id'> &
  Partial<typeof NO_POSITION>

/** Changes a bookable. A change without fields leaves the row unchanged, but the audit log still records it. */
export function changeBookable(
  write: Write,
  bookable: LockedRow,
  changes: BookableChanges,
  action: 'bookables.update' | 'bookables.edit',
) {
  const { row } = bookable
  if (changes.status !== undefined && row.status === assigned) {
    const detail = message`${String(row.name)} is assigned, so its status cannot be changed. End the assignment in the dashboard first.`
    throw new Refusal('bookable_assigned', detail)
  }
  const isMoved = changes.location_id !== undefined && changes.location_id !== row.location_id
  const isChanged = Object.values(changes).some((value) => value !== undefined)
  const fields = {
    // The position was on the previous location's floor plan, so it is cleared.
    ...(isMoved ? NO_POSITION : {}),
    ...changes,
    ...(isChanged ? { updated_at: write.trx.fn.now() } : {}),
  }
  return updateRow(write, bookable, fields, action)
}

// Refuses a new type if claims would no longer fit it. Each claim stores whether it is exclusive, as all claims except
// those on home offices are.
export async function refuseUnlessClaimsFitType(
  write: Write,
  { id, row }: AuditedRow,
  type: number | undefined,
) {
  const { homeOffice } = BOOKABLE_TYPES
  if (type === undefined || (type === homeOffice) === (row.type === homeOffice)) return
  const number = (await countFutureClaims(write, [id])).get(id)
  if (number === undefined) return
  const [name, held] = [String(row.name), formatUpcomingCount(number)]
  const detail =
    type === homeOffice
      ? message`${name} has ${held}, including meetings, so it cannot become a home office yet.`
      : message`${name} has ${held}, including meetings, so it must remain a home office for now.`
  throw new Refusal('in_use', detail)
}

/**
 * Refuses if somebody has moved the bookable since the given version. Without a version, the write overwrites the
 * current position.
 */
async function refusePositionConflicts(
  write: Write,
  found: AuditedRow[],
  positions: InputOf<'bookables.set-positions'>['positions'],
) {
  const expected = new Map(positions.map(({ id, version }) => [id, version]))
  const rows = await write.all<{ id: number; version: string }>(
    `SELECT id, ${versionSql('positions')} AS version FROM bookables WHERE id = ANY(?::bigint[])`,
    [found.map(({ id }) => id)],
  )
  const present = new Map(rows.map(({ id, version }) => [id, version]))
  const moved = found.filter(({ id }) => (expected.get(id) ?? present.get(id)) !== present.get(id))
  if (moved.length === 0) return
  const detail = message`Somebody else has moved ${formatNames(moved)} in the meantime. Nothing was saved.`
  throw new Refusal('changed_meanwhile', detail)
}

/** Locks the bookables that are not blocked yet, and resolves the bookings on them. */
async function lockUnblocked(
  write: Write,
  ids: number[],
  resolutionInput: AffectedBookingsInput,
): Promise<AuditedRow[]> {
  const onlyOpen = (found: AuditedRow[]) => {
    const open = found.filter(({ row }) => row.status !== blocked)
    refuseAssignedBookables(open)
    return open
  }
  const taken = onlyOpen(await findBookables(write, ids)).map(({ id }) => id)
  await resolveAffectedBookings(write, { ids: taken, times: createOpenTime(write) }, resolutionInput)
  await lockClaims(write, taken)
  const found = await lockBookables(write, ids)
  refuseChangedSinceRead(
    found.filter(({ row }) => row.status !== blocked),
    taken,
  )
  return onlyOpen(found)
}

function refuseAssignedBookables(open: AuditedRow[]): void {
  const found = open.filter(({ row }) => row.status === assigned)
  if (found.length === 0) return
  const detail = countedMessage(
    found.length,
    '{0} is assigned. End the assignment first, or leave them out. Nothing was changed.',
    '{0} are assigned. End the assignment first, or leave them out. Nothing was changed.',
    formatNames(found),
  )
  throw new Refusal('bookable_assigned', detail)
}
