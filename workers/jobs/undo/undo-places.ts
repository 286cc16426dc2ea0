// Gives places back the rules that they had before a write, and bookables their details, status and assignees too.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import type { RulePlace } from '../../../shared/rules/rules-shape.ts'
import type { Write } from '../../runtime/write.ts'
import { findAssignees, setAssignees } from '../bookables/assignees.ts'
import { change, refuseOtherExclusiveness } from '../bookables/changes.ts'
import { ruleHandlers } from '../places/set-rules.ts'
import { lockRow } from '../rows/rows.ts'
import { cannotBeUndone, changedSince, type Entry, formerFields, isStill, type Row } from './entries.ts'

const DETAILS = [
  'name',
  'description',
  'type',
  'status',
  'tags',
  'capacity',
  'integration_email',
  'requires_vehicle',
]

/** The rows are locked. */
export async function undoBookables(write: Write, entries: Entry[]): Promise<void> {
  for (const entry of entries) {
    const { assignees, rules, ...details } = formerFields(entry)
    refuseOthers(Object.keys(details))
    await refuseOtherState(write, entry)
    if (assignees !== undefined) await setAssignees(write, entry.thing, assignees as number[])
    if (rules !== undefined) await restoreRules(write, 'bookables', entry.thing, rules)
    await restoreDetails(write, entry.thing, details)
  }
}

/** What happened to bookings when the place was closed has entries of its own. */
export async function undoRules(write: Write, table: 'buildings' | 'locations', entries: Entry[]) {
  for (const entry of entries) {
    const { rules } = formerFields(entry)
    const { row } = await lockRow(write, table, entry.thing)
    if (!isStill(entry, row as Row, ['rules'])) throw await changedSince(write, entry)
    await restoreRules(write, table, entry.thing, rules)
  }
}

async function restoreRules(write: Write, table: RulePlace, id: number, rules: unknown): Promise<void> {
  const input = { id, rules: rules ?? {} } as InputOf<'bookables.set-rules'>
  await ruleHandlers[`${table}.set-rules`](write, input)
}

// It was moved to another floor, or on the floor plan.
function refuseOthers(names: string[]) {
  if (names.every((name) => DETAILS.includes(name))) return
  throw cannotBeUndone()
}

async function refuseOtherState(write: Write, entry: Entry): Promise<void> {
  const { row } = await lockRow(write, 'bookables', entry.thing)
  const present = { ...row, assignees: await findAssignees(write, entry.thing) }
  if (!isStill(entry, present, Object.keys(formerFields(entry)))) throw await changedSince(write, entry)
}

/** What follows from the assignees is so already. */
async function restoreDetails(write: Write, id: number, details: Record<string, unknown>): Promise<void> {
  const bookable = await lockRow(write, 'bookables', id)
  const names = Object.keys(details).filter(
    (name) => JSON.stringify(bookable.row[name]) !== JSON.stringify(details[name]),
  )
  if (names.length === 0) return
  await refuseOtherExclusiveness(write, bookable, details['type'] as number | undefined)
  const changed = Object.fromEntries(names.map((name) => [name, details[name]]))
  await change(write, bookable, changed, 'bookables.edit')
}
