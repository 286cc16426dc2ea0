// Restores the rules of places, and the details, status and assignees of bookables, to what they were before a write.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import type { RulePlace } from '../../../shared/rules/rules-shape.ts'
import type { Write } from '../../runtime/write.ts'
import { findAssignees, refuseClaimsOfOthers, replaceAssignees } from '../bookables/assignees.ts'
import { changeBookable, refuseUnlessClaimsFitType } from '../bookables/changes.ts'
import { ruleHandlers } from '../places/set-rules.ts'
import { lockRow } from '../rows/rows.ts'
import {
  createChangedSinceRefusal,
  createUndoRefusal,
  getFormerFields,
  isUnchanged,
  type UndoEntry,
  type UndoRow,
} from './entries.ts'

const DETAIL_COLUMNS = [
  'name',
  'description',
  'type',
  'status',
  'tags',
  'capacity',
  'integration_email',
  'requires_vehicle',
]

/**
 * Restores bookables. Their rows must be locked. Returns the ids of those whose assignees have changed: others must not
 * have bookings on them once the whole write is undone. A meeting may get its former organizer back until then.
 */
export async function undoBookables(write: Write, entries: UndoEntry[]): Promise<number[]> {
  const reassigned: number[] = []
  for (const entry of entries) {
    const { assignees, rules, ...details } = getFormerFields(entry)
    refuseOtherFields(Object.keys(details))
    await refuseOtherState(write, entry)
    if (assignees !== undefined && (await replaceAssignees(write, entry.thing, assignees as number[])))
      reassigned.push(entry.thing)
    if (rules !== undefined) await restoreRules(write, 'bookables', entry.thing, rules)
    await restoreDetails(write, entry.thing, details)
  }
  return reassigned
}

export async function refuseUnlessBookedByAssignees(write: Write, ids: number[]): Promise<void> {
  for (const id of ids) await refuseClaimsOfOthers(write, id)
}

/**
 * Restores the rules of places. Bookings that were affected when a place closed have audit log entries of their own.
 */
export async function undoRules(write: Write, table: 'buildings' | 'locations', entries: UndoEntry[]) {
  for (const entry of entries) {
    const { rules } = getFormerFields(entry)
    const { row } = await lockRow(write, table, entry.thing)
    if (!isUnchanged(entry, row as UndoRow, ['rules'])) throw await createChangedSinceRefusal(write, entry)
    await restoreRules(write, table, entry.thing, rules)
  }
}

async function restoreRules(write: Write, table: RulePlace, id: number, rules: unknown): Promise<void> {
  const input = { id, rules: rules ?? {} } as InputOf<'bookables.set-rules'>
  await ruleHandlers[`${table}.set-rules`](write, input)
}

// Refuses if fields other than the details changed, because the bookable was moved to another floor or on the floor
// plan.
function refuseOtherFields(names: string[]) {
  if (names.every((name) => DETAIL_COLUMNS.includes(name))) return
  throw createUndoRefusal()
}

async function refuseOtherState(write: Write, entry: UndoEntry): Promise<void> {
  const { row } = await lockRow(write, 'bookables', entry.thing)
  const present = { ...row, assignees: await findAssignees(write, entry.thing) }
  if (!isUnchanged(entry, present, Object.keys(getFormerFields(entry))))
    throw await createChangedSinceRefusal(write, entry)
}

/** Restores the remaining details of a bookable. Those that depend on its assignees are already restored. */
async function restoreDetails(write: Write, id: number, details: Record<string, unknown>): Promise<void> {
  const bookable = await lockRow(write, 'bookables', id)
  const names = Object.keys(details).filter(
    (name) => JSON.stringify(bookable.row[name]) !== JSON.stringify(details[name]),
  )
  if (names.length === 0) return
  await refuseUnlessClaimsFitType(write, bookable, details['type'] as number | undefined)
  const changed = Object.fromEntries(names.map((name) => [name, details[name]]))
  await changeBookable(write, bookable, changed, 'bookables.edit')
}
