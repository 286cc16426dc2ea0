// The cells of a row by their columns, and what is wrong with them: whatever the file lists.
import { counted, type Message, message, type Value } from '../../../shared/messages/message.ts'
import { countCharacters, isPlainText } from '../../../shared/texts.ts'
import type { Cells, SheetRow } from '../sheet.ts'
import type { Header } from './columns.ts'

// A cell of one character can have a sentence of a hundred: without an end, two megabytes would become a hundred.
export const ROW_ERRORS_MAX = 10
const QUOTED_MAX = 60

// Nearly every text: short, of printable ASCII. To see that by one pattern saves the checks.
const SIMPLE = /^[ -~]+$/

export class CheckedCells<Column extends string> {
  readonly #row: SheetRow
  readonly #header: Header<Column>
  readonly #errorsMax: number
  readonly #errors = new Map<Column, Message[]>()
  #shown = 0
  #left = 0

  constructor(row: SheetRow, header: Header<Column>, errorsMax = ROW_ERRORS_MAX) {
    this.#row = row
    this.#header = header
    this.#errorsMax = errorsMax
  }

  /** Undefined where the file does not have the column. */
  textOf(column: Column): string | undefined {
    const index = this.#header.get(column)
    return index === undefined ? undefined : (this.#row.cells[index] ?? '').trim()
  }

  addError(column: Column, rule: Message, found?: string): void {
    if (this.#shown === this.#errorsMax) {
      this.#left++
      return
    }
    this.#shown++
    const quoted = found === undefined ? rule : message`${rule} (it is “${cut(found)}”)`
    this.#errors.set(column, [...(this.#errors.get(column) ?? []), quoted])
  }

  /** Null where the text breaks a rule, so that only what can be stored goes on. */
  checkText(column: Column, subject: Value, text: string, max: number): string | null {
    if (text.length <= max && SIMPLE.test(text)) return text
    if (!isPlainText(text))
      this.addError(column, message`${subject} must not contain control characters or invalid Unicode`)
    else if (countCharacters(text) > max)
      this.addError(column, message`${subject} must be at most ${max} characters long`)
    else return text
    return null
  }

  get shownErrors(): number {
    return this.#shown
  }

  /** By column, as JSON; null where there are none. Once all cells are looked at. */
  toJson(): string | null {
    if (this.#errors.size === 0) return null
    const last = [...this.#errors.values()].at(-1)
    if (this.#left > 0) last?.push(counted(this.#left, '# more error', '# more errors'))
    return JSON.stringify(Object.fromEntries(this.#errors))
  }
}

/** The cells as Postgres can keep them: none is absent, and what no text of it can hold is marked. */
export function toStorableCells(cells: Cells): string[] {
  return Array.from(cells, (cell) => (cell ?? '').toWellFormed().replaceAll('\0', '\ufffd'))
}

function cut(text: string): string {
  const start = [...text.slice(0, 2 * QUOTED_MAX).toWellFormed()].slice(0, QUOTED_MAX).join('')
  const shown = start.replace(/\p{Cc}+/gu, ' ')
  return start.length < text.length ? `${shown}…` : shown
}
