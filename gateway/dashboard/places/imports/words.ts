// What an import of desks, rooms and parking is to do and what it does, in sentences.
import type { BookableImportCounts } from '../../../../shared/contracts/places/bookable-imports.ts'
import { plural } from '../../language/translate.ts'

/** One sentence for each kind of row of which there are some. */
export function describeCounts(counts: BookableImportCounts, isDone: boolean): string {
  const { create, change, skip, error } = counts
  const added = isDone
    ? plural(create, '# row was added.', '# rows were added.')
    : plural(create, '# row will be added.', '# rows will be added.')
  const changed = isDone
    ? plural(change, '# row was changed.', '# rows were changed.')
    : plural(change, '# row will be changed.', '# rows will be changed.')
  return [
    create > 0 && added,
    change > 0 && changed,
    skip > 0 && plural(skip, '# row has no changes.', '# rows have no changes.'),
    error > 0 && plural(error, '# row has errors.', '# rows have errors.'),
  ]
    .filter(Boolean)
    .join(' ')
}
