// Gives the rows of somebody else's file the columns of the import, as an administrator has said what each column is.
import type { FileColumn } from '../../../shared/imports/guess-columns.ts'
import type { Layout } from '../../../shared/imports/layouts.ts'
import type { Cells } from '../formats/sheet.ts'

/** Columns that become one, and what separates their texts. */
const JOINED: Partial<Record<FileColumn, [into: FileColumn, by: string]>> = {
  first_name: ['name', ' '],
  last_name: ['name', ' '],
  groups: ['groups', ';'],
  license_plates: ['license_plates', ';'],
}

export function arrangeColumns(columns: Layout['columns']) {
  const given = columns.flatMap((column, place) => (column ? [{ column: column as FileColumn, place }] : []))
  // The first name comes first, wherever its column is.
  given.sort((a, b) => Number(b.column === 'first_name') - Number(a.column === 'first_name'))
  const arranged = new Map<FileColumn, { places: number[]; by: string }>()
  for (const { column, place } of given) {
    const [into, by] = JOINED[column] ?? [column, ' ']
    arranged.set(into, { by, places: [...(arranged.get(into)?.places ?? []), place] })
  }
  const parts = [...arranged.values()]
  return {
    header: [...arranged.keys()] as string[],
    arrangeCells: (cells: Cells): Cells =>
      parts.map(({ places, by }) =>
        places
          .map((place) => cells[place]?.trim())
          .filter(Boolean)
          .join(by),
      ),
  }
}
