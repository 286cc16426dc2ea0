// Reads the command's input and prints its output: tables for people, JSON for programs. Notes go to standard error.
import { text } from 'node:stream/consumers'

export const readInput = () => text(process.stdin)

export const print = (text: string): void => void process.stdout.write(`${text}\n`)
export const printNote = (text: string): void => void process.stderr.write(`${text}\n`)
export const printJson = (value: unknown) => print(JSON.stringify(value, null, 2))

export type Columns<Row> = Record<string, (row: Row) => unknown>

export function printTable<Row>(rows: Row[], columns: Columns<Row>, empty: string): void {
  if (rows.length === 0) {
    printNote(empty)
    return
  }
  const cells = rows.map((row) => Object.values(columns).map((read) => toPrintable(read(row))))
  const lines = [Object.keys(columns), ...cells]
  const widths = Object.keys(columns).map((_, index) =>
    Math.max(...lines.map((line) => line[index]?.length ?? 0)),
  )
  for (const line of lines)
    print(
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

/** Replaces characters that could control the terminal, because other people choose the names that are printed. */
export const toPrintable = (value: unknown) =>
  String(value ?? '').replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
