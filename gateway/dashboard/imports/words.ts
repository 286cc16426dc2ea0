// What applying an import does, and what it ignores of its file, in sentences.
import type { ImportCounts } from '../../../shared/contracts/users.ts'
import { isReasonsColumn } from '../../../shared/lists/user-columns.ts'
import { t } from '../language/translate.ts'
import { formatFirst, formatList, formatNumber } from '../ui/words.ts'

const IGNORED_NAMED = 5

/** What the button says; undefined where there is nothing to do. */
export function describeChanges({ create, change, deactivate }: ImportCounts): string | undefined {
  const parts = [
    ...(create > 0 ? [t`add ${formatNumber(create)}`] : []),
    ...(change > 0 ? [t`change ${formatNumber(change)}`] : []),
    ...(deactivate > 0 ? [t`deactivate ${formatNumber(deactivate)}`] : []),
  ]
  return parts.length > 0 ? t`Apply: ${parts.join(', ')}` : undefined
}

/**
 * Columns whose names say nothing to an import: a misspelt one would else be missed only afterwards. `columns`: which of its
 * own each of the header is.
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
