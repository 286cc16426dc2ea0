// Collects the cells of a row by column, with their errors, for any kind of list.
import { countedMessage, type Message, type MessageValue, message } from '../../../shared/messages/message.ts'
import { countCharacters, isPlainText } from '../../../shared/utilities/texts.ts'
import type { RowCells, SheetRow } from '../formats/sheet.ts'

/** Maps the known columns to their index in the file. */
export type SheetHeader<Column extends string> = Map<Column, number>

// The limit on errors in a row. A cell with one character can cause a sentence with a hundred characters, so without
// the limit 2 MB of cells could become 100 MB of errors.
export const ROW_ERRORS_MAX = 10
const QUOTED_CHARACTERS_MAX = 60

// Matches short texts in printable ASCII, which most texts are. They need no other checks.
const PRINTABLE_ASCII_PATTERN = /^[ -~]+$/

export class CheckedCells<Column extends string> {
  readonly #row: SheetRow
  readonly #header: SheetHeader<Column>
  readonly #errorsMax: number
  readonly #errors = new Map<Column, Message[]>()
  #shown = 0
  #left = 0

  constructor(row: SheetRow, header: SheetHeader<Column>, errorsMax = ROW_ERRORS_MAX) {
    this.#row = row
    this.#header = header
    this.#errorsMax = errorsMax
  }

  /** Returns the text of a cell. Returns undefined if the file does not have the column. */
  textOf(column: Column): string | undefined {
    const index = this.#header.get(column)
    return index === undefined ? undefined : (this.#row.cells[index] ?? '').trim()
  }

  /** Adds an error. Returns null, because that is the value of an invalid cell. */
  addError(column: Column, rule: Message, found?: string): null {
    if (this.#shown === this.#errorsMax) {
      this.#left++
      return null
    }
    this.#shown++
    const quoted = found === undefined ? rule : message`${rule} (it is “${cutQuotedText(found)}”)`
    this.#errors.set(column, [...(this.#errors.get(column) ?? []), quoted])
    return null
  }

  /** Returns the text, or null if the text breaks a rule. Also returns null for a text that Postgres cannot store. */
  checkText(column: Column, subject: MessageValue, text: string, max: number): string | null {
    if (text.length <= max && PRINTABLE_ASCII_PATTERN.test(text)) return text
    if (!isPlainText(text))
      return this.addError(column, message`${subject} must not contain control characters or invalid Unicode`)
    if (countCharacters(text) > max)
      return this.addError(column, message`${subject} must be at most ${max} characters long`)
    return text
  }

  get shownErrors(): number {
    return this.#shown
  }

  /** Returns the errors of the row by column, as JSON, or null if there are none. Call this method after all checks. */
  toJson(): string | null {
    if (this.#errors.size === 0) return null
    const last = [...this.#errors.values()].at(-1)
    if (this.#left > 0) last?.push(countedMessage(this.#left, '# more error', '# more errors'))
    return JSON.stringify(Object.fromEntries(this.#errors))
  }
}

/**
 * Returns the cells in a form that Postgres can store: no cell is undefined, and characters that cannot be stored are
 * replaced.
 */
export function toStorableCells(cells: RowCells): string[] {
  return Array.from(cells, (cell) => (cell ?? '').toWellFormed().replaceAll('\0', '\ufffd'))
}

function cutQuotedText(text: string): string {
  const start = [...text.slice(0, 2 * QUOTED_CHARACTERS_MAX).toWellFormed()]
    .slice(0, QUOTED_CHARACTERS_MAX)
    .join('')
  const shown = start.replace(/\p{Cc}+/gu, ' ')
  return start.length < text.length ? `${shown}…` : shown
}
