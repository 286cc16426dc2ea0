// The cells of a row by column, with their errors, for any kind of list.
import { counted, type Message, message, type Value } from '../../../shared/messages/message.ts'
import { countCharacters, isPlainText } from '../../../shared/utilities/texts.ts'
import type { Cells, SheetRow } from '../formats/sheet.ts'

/** The known columns by their index in the file. */
export type Header<Column extends string> = Map<Column, number>

// A one-character cell can cause a sentence of a hundred: without a limit, 2 MB could become 100 MB.
export const ROW_ERRORS_MAX = 10
const QUOTED_MAX = 60

// Matches nearly every text: short, printable ASCII. One pattern saves the other checks.
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

  /** Undefined if the file does not have the column. */
  textOf(column: Column): string | undefined {
    const index = this.#header.get(column)
    return index === undefined ? undefined : (this.#row.cells[index] ?? '').trim()
  }

  /** Returns null, the value of a cell that breaks a rule. */
  addError(column: Column, rule: Message, found?: string): null {
    if (this.#shown === this.#errorsMax) {
      this.#left++
      return null
    }
    this.#shown++
    const quoted = found === undefined ? rule : message`${rule} (it is “${cut(found)}”)`
    this.#errors.set(column, [...(this.#errors.get(column) ?? []), quoted])
    return null
  }

  /** Null if the text breaks a rule, so that only storable text passes. */
  checkText(column: Column, subject: Value, text: string, max: number): string | null {
    if (text.length <= max && SIMPLE.test(text)) return text
    if (!isPlainText(text))
      return this.addError(column, message`${subject} must not contain control characters or invalid Unicode`)
    if (countCharacters(text) > max)
      return this.addError(column, message`${subject} must be at most ${max} characters long`)
    return text
  }

  get shownErrors(): number {
    return this.#shown
  }

  /** The errors by column as JSON; null if there are none. Call it after all checks. */
  toJson(): string | null {
    if (this.#errors.size === 0) return null
    const last = [...this.#errors.values()].at(-1)
    if (this.#left > 0) last?.push(counted(this.#left, '# more error', '# more errors'))
    return JSON.stringify(Object.fromEntries(this.#errors))
  }
}

/** The cells as Postgres can store them: none is absent, and unstorable characters are replaced. */
export function toStorableCells(cells: Cells): string[] {
  return Array.from(cells, (cell) => (cell ?? '').toWellFormed().replaceAll('\0', '\ufffd'))
}

function cut(text: string): string {
  const start = [...text.slice(0, 2 * QUOTED_MAX).toWellFormed()].slice(0, QUOTED_MAX).join('')
  const shown = start.replace(/\p{Cc}+/gu, ' ')
  return start.length < text.length ? `${shown}…` : shown
}
