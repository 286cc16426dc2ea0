// What an import is to do and what it does, in sentences.
import type { ImportCounts } from '../../../shared/contracts/users.ts'
import type { InputOf } from '../../../shared/jobs.ts'
import {
  holdsRefusedRows,
  isReasonsColumn,
  REASONS_COLUMN,
  userColumns,
} from '../../../shared/user-columns.ts'
import { formatCount, formatFirst, formatList, formatNumber } from '../ui/words.ts'

type Options = Pick<InputOf<'users.import'>, 'update' | 'restore' | 'deactivate' | 'key_column'>

const IGNORED_NAMED = 5
const KEYS = { email: 'e-mail', id: 'ID', upn: 'UPN' } as const

export function describeOptions({ update, restore, deactivate, key_column: key }: Options): string {
  const asked = [
    'adds new people',
    ...(update ? ['updates existing ones'] : []),
    ...(restore ? ['restores deactivated ones'] : []),
    ...(deactivate ? ['deactivates people who are not in the file'] : []),
  ]
  return `This import ${formatList(asked)}. People are matched by ${KEYS[key]}.`
}

export function describeCounts(counts: ImportCounts, isDone: boolean): string {
  const people: Array<[count: number, done: string]> = [
    [counts.create, 'added'],
    [counts.change, 'changed'],
    [counts.deactivate, 'deactivated'],
  ]
  const sentences = [
    describePeople(
      people.filter(([count]) => count > 0),
      isDone,
    ),
    [
      ...(counts.skip > 0 ? [`${formatCount(counts.skip, 'row')} skipped`] : []),
      ...(counts.error > 0 ? [`${formatCount(counts.error, 'row')} with errors`] : []),
    ].join(', '),
  ]
  return sentences
    .filter(Boolean)
    .map((each) => `${each}.`)
    .join(' ')
}

/** Why nobody is deactivated, though it was asked for. */
export function describeRefusedDeactivation(
  { unmatched }: ImportCounts,
  header: string[],
): string | undefined {
  if (holdsRefusedRows(header))
    return `The file has the column “${REASONS_COLUMN}”: it holds rows that another import refused, and does not list everybody. To deactivate people, import the whole list without this column.`
  if (unmatched === 0) return undefined
  const whose =
    unmatched === 1
      ? '1 row with errors matches no known person, and could be anybody’s. Fix this row first'
      : `${formatNumber(unmatched)} rows with errors match no known person, and could be anybody’s. Fix these rows first`
  return `${whose}, and import the whole list again.`
}

/** Whom their rows protect, though nothing else of these is done. */
export function describeKept({ kept }: ImportCounts): string | undefined {
  if (kept === 0) return undefined
  return kept === 1
    ? '1 person is only in a row with errors, and is not deactivated.'
    : `${formatNumber(kept)} people are only in rows with errors, and are not deactivated.`
}

/** What the button says; undefined where there is nothing to do. */
export function describeChanges({ create, change, deactivate }: ImportCounts): string | undefined {
  const parts = [
    ...(create > 0 ? [`add ${formatNumber(create)}`] : []),
    ...(change > 0 ? [`change ${formatNumber(change)}`] : []),
    ...(deactivate > 0 ? [`deactivate ${formatNumber(deactivate)}`] : []),
  ]
  return parts.length > 0 ? `Apply: ${parts.join(', ')}` : undefined
}

/** Columns whose names say nothing to an import: a misspelt one would else be missed only afterwards. */
export function describeIgnoredColumns(header: string[]): string | undefined {
  const columns = userColumns(header)
  const isRead = (cell: string, place: number) => columns[place] !== undefined || isReasonsColumn(cell)
  const names = header.filter((cell, place) => cell.trim() !== '' && !isRead(cell, place))
  if (names.length === 0) return undefined
  const quoted = names.map((name) => `“${name.trim()}”`)
  const all = names.length > IGNORED_NAMED ? formatFirst(quoted, IGNORED_NAMED) : formatList(quoted)
  return names.length === 1
    ? `The unknown column ${all} is ignored.`
    : `The unknown columns ${all} are ignored.`
}

/** “2 people will be added, 1 changed and 3 deactivated”. */
function describePeople(people: Array<[count: number, done: string]>, isDone: boolean): string {
  const parts = people.map(([count, done], index) => {
    if (index > 0) return `${formatNumber(count)} ${done}`
    const verb = isDone ? (count === 1 ? 'was' : 'were') : 'will be'
    return `${formatCount(count, 'person', 'people')} ${verb} ${done}`
  })
  return formatList(parts)
}
