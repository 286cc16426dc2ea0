// Formats tables and instants for a terminal.
import { parseDateTime } from '../shared/utilities/date-times.ts'

export function formatTable(columns: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const lines = [columns, ...rows]
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const formatLine = (line: readonly string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0))
  return lines.map((line) => formatLine(line).join('  ').trimEnd()).join('\n')
}

export function formatInstant(instant: string | null): string {
  return instant === null ? '-' : `${instant.slice(0, 16).replace('T', ' ')} UTC`
}

/** The database returns instants in the connection's time zone, with a space. */
export function toInstant(text: string | null): string | null {
  return text === null ? null : (parseDateTime(text.replace(' ', 'T'))?.instant ?? null)
}
