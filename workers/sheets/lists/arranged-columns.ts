// Arranges the rows of a file in the columns of the import, according to the layout that an administrator has
// specified.
import type { FileColumn } from '../../../shared/imports/guess-columns.ts'
import type { Layout } from '../../../shared/imports/layouts.ts'
import type { RowCells } from '../formats/sheet.ts'

/** Columns that are joined into another column, with the separator between their texts. */
const JOINED_COLUMNS: Partial<Record<FileColumn, [into: FileColumn, by: string]>> = {
  first_name: ['name', ' '],
  last_name: ['name', ' '],
  groups: ['groups', ';'],
  license_plates: ['license_plates', ';'],
}

export function arrangeColumns(columns: Layout['columns']) {
  const given = columns.flatMap((column, place) => (column ? [{ column: column as FileColumn, place }] : []))
  // The first name comes first, no matter where its column is in the file.
  given.sort((a, b) => Number(b.column === 'first_name') - Number(a.column === 'first_name'))
  const arranged = new Map<FileColumn, { places: number[]; by: string }>()
  for (const { column, place } of given) {
    const [into, by] = JOINED_COLUMNS[column] ?? [column, ' ']
    arranged.set(into, { by, places: [...(arranged.get(into)?.places ?? []), place] })
  }
  const parts = [...arranged.values()]
  return {
    header: [...arranged.keys()] as string[],
    arrangeCells: (cells: RowCells): RowCells =>
      parts.map(({ places, by }) =>
        places
          .map((place) => cells[place]?.trim())
          .filter(Boolean)
          .join(by),
      ),
  }
}
