// Turns an untrusted file into lines for COPY: all the work of the process that reads it.
import { counted, message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { openSheet } from './formats/open-sheet.ts'
import { type Cells, refuseFile, type SheetRow, tooLarge } from './formats/sheet.ts'
import { spoolFile } from './formats/spooled-file.ts'
import { toStorableCells } from './lists/checked-cells.ts'
import { LISTS, type ListName } from './lists/lists.ts'
import type { ChildMessage } from './messages.ts'

export type LineOptions = { list: ListName; rowsMax: number; keepsCells?: boolean }
export type SendMessage = (message: ChildMessage) => Promise<void>

const PROGRESS_ROWS = 5_000

export async function* linesOf(
  source: AsyncIterable<Buffer>,
  options: LineOptions,
  send: SendMessage,
): AsyncGenerator<Buffer> {
  const file = await spoolFile(source)
  const checked = checkRows(options, send)
  try {
    for await (const batch of await openSheet(file, LISTS[options.list].columns)) {
      const lines = batch.map(checked.lineOf).join('')
      await checked.report()
      if (lines !== '') yield Buffer.from(lines)
    }
    await send({ kind: 'done', ...checked.finish() })
  } finally {
    // Closed explicitly: garbage collection closes an unreferenced handle even while it is read.
    await file.handle.close()
  }
}

function checkRows({ list, rowsMax, keepsCells = false }: LineOptions, send: SendMessage) {
  let firstCells: Cells = []
  let opened: ReturnType<(typeof LISTS)[ListName]['open']> | undefined
  let isHeaderSent = false
  let rows = 0
  let rowsReported = 0
  let last = 0
  let lastRow = 0

  function checkOrder({ number }: SheetRow) {
    if (number <= last) throw refuseFile(message`The file is damaged: row ${number} comes after row ${last}.`)
    last = number
  }

  return {
    lineOf(row: SheetRow): string {
      checkOrder(row)
      if (!opened) {
        // Files may have empty rows above the header.
        if (isEmpty(row.cells)) return ''
        firstCells = row.cells
        opened = LISTS[list].open(firstCells, keepsCells)
        return ''
      }
      if (isEmpty(row.cells)) return ''
      rows++
      lastRow = row.number
      if (rows > rowsMax)
        throw tooLarge(
          counted(
            rowsMax,
            'The file has more than # row, which is the limit.',
            'The file has more than # rows, which is the limit.',
          ),
        )
      return opened.writeLine(row)
    },
    async report() {
      if (opened && !isHeaderSent) {
        isHeaderSent = true
        await send({ kind: 'columns', columns: opened.columns, header: toStorableCells(firstCells) })
      }
      if (rows - rowsReported < PROGRESS_ROWS) return
      rowsReported = rows
      await send({ kind: 'progress', rows })
    },
    finish() {
      // A file without rows has no header either.
      opened ??= LISTS[list].open([], keepsCells)
      return { rows, lastRow }
    },
  }
}

function isEmpty(cells: Cells): boolean {
  return cells.every((cell) => cell === undefined || cell.trim() === '')
}

export function refusedMessage(error: unknown): ChildMessage {
  if (error instanceof Refusal && (error.code === 'too_large' || error.code === 'validation_failed')) {
    return { kind: 'refused', code: error.code, problem: error.errors?.file?.[0] ?? error.detail }
  }
  if (error instanceof RangeError && /allocation failed/i.test(error.message)) {
    return {
      kind: 'refused',
      code: 'too_large',
      problem: message`The file needs too much memory to read. Send fewer rows at a time, or send csv or xlsx.`,
    }
  }
  // Any other error of a reader is caused by the file. The cause is for the log.
  return {
    kind: 'refused',
    code: 'validation_failed',
    problem: message`The file could not be read: it is damaged or incomplete.`,
    cause: error instanceof Error ? error.stack : String(error),
  }
}
