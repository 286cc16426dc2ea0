// Sentences about what an import changes, and which columns of its file it ignores.

import { isReasonsColumn } from '../../../shared/users/user-columns.ts'
import type { ImportCounts } from '../../../shared/users/users.ts'
import { t } from '../locales/translate.ts'
import { formatFirst, formatList, formatNumber } from '../ui/words.ts'

const IGNORED_NAMED = 5

/** The label of the button; undefined if there is nothing to change. */
export function describeChanges({ create, change, deactivate }: ImportCounts): string | undefined {
  const parts = [
    ...(create > 0 ? [t`add ${formatNumber(create)}`] : []),
    ...(change > 0 ? [t`change ${formatNumber(change)}`] : []),
    ...(deactivate > 0 ? [t`deactivate ${formatNumber(deactivate)}`] : []),
  ]
  return parts.length > 0 ? t`Apply: ${parts.join(', ')}` : undefined
}

/**
 * Lists unknown columns, because otherwise a misspelt one would be noticed only afterwards. `columns`: the
 * known column of each heading.
 */
export function describeIgnoredColumns(
  header: string[],
  columns: Array<string | undefined>,
): string | undefined {
  const isRead = (cell: string, place: number) => columns[place] !== undefined || isReasonsColumn(cell)
  const names = header.filter((cell, place) => cell.trim() !== '' && !isRead(cell, place))
  if (names.length === 0) return undefined
  const quoted = names.map((name) => t`“${name.trim()}”`)
  const all = names.length > IGNORED_NAMED ? formatFirst(quoted, IGNORED_NAMED) : formatList(quoted)
  return names.length === 1
    ? t`The unknown column ${all} is ignored.`
    : t`The unknown columns ${all} are ignored.`
}
