// An import in words: what was asked of it, and what it does.
import type { InputOf } from '../../../shared/jobs.ts'
import { REASONS_COLUMN, userColumn } from '../../../shared/user-columns.ts'
import type { Counts } from './queries.ts'

type Options = Pick<InputOf<'users.import'>, 'update' | 'restore' | 'deactivate' | 'key_column'>

const IGNORED_NAMED = 5
const KEYS = { email: 'e-mail', id: 'id', upn: 'UPN' } as const

export function describeOptions({ update, restore, deactivate, key_column: key }: Options): string {
  const asked = [
    'adds people',
    ...(update ? ['updates those who are there'] : []),
    ...(restore ? ['restores deactivated ones'] : []),
    ...(deactivate ? ['deactivates whoever is not in it'] : []),
  ]
  return `The list ${joined(asked)}; people are recognised by ${KEYS[key]}.`
}

export function describeCounts(counts: Counts, isDone: boolean): string {
  const people = [
    part(counts.create, 'added', isDone),
    part(counts.change, 'changed', isDone),
    part(counts.deactivate, 'deactivated', isDone),
  ].filter((each) => each !== undefined)
  const rows = [
    ...(counts.skip > 0 ? [`${formatRows(counts.skip)} skipped`] : []),
    ...(counts.error > 0 ? [`${formatRows(counts.error)} refused`] : []),
  ]
  const sentences = [
    people.length > 0 ? joined(people) : `Nobody ${isDone ? 'was' : 'would be'} changed`,
    ...(rows.length > 0 ? [joined(rows)] : []),
  ]
  return sentences.map((each) => `${capital(each)}.`).join(' ')
}

/** What the button says; undefined where there is nothing to do. */
export function describeChanges({ create, change, deactivate }: Counts): string | undefined {
  const parts = [
    ...(create > 0 ? [`add ${number(create)}`] : []),
    ...(change > 0 ? [`change ${number(change)}`] : []),
    ...(deactivate > 0 ? [`deactivate ${number(deactivate)}`] : []),
  ]
  return parts.length > 0 ? `Apply: ${parts.join(', ')}` : undefined
}

/** Columns whose names say nothing to an import: a misspelt one would else be missed only afterwards. */
export function describeIgnoredColumns(header: string[]): string | undefined {
  const names = header.filter((cell) => cell.trim() !== '' && !isRead(cell))
  if (names.length === 0) return undefined
  const shown = names.slice(0, IGNORED_NAMED).map((name) => `“${name.trim()}”`)
  const more = names.length - shown.length
  const all = joined(more > 0 ? [...shown, `${number(more)} more`] : shown)
  return names.length === 1
    ? `The column ${all} is not known, and is ignored.`
    : `The columns ${all} are not known, and are ignored.`
}

const isRead = (cell: string) => userColumn(cell) !== undefined || cell.trim() === REASONS_COLUMN

function part(count: number, done: string, isDone: boolean): string | undefined {
  if (count === 0) return undefined
  const who = count === 1 ? 'one person' : `${number(count)} people`
  if (!isDone) return `${who} would be ${done}`
  return `${who} ${count === 1 ? 'was' : 'were'} ${done}`
}

const formatRows = (count: number) => (count === 1 ? 'one row is' : `${number(count)} rows are`)

function joined(parts: string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const number = (value: number) => value.toLocaleString('en')
