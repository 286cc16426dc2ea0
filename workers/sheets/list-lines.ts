// Converts an untrusted file into lines for COPY. The process that reads the file does nothing else.

import type { FilePreview } from '../../shared/imports/layouts.ts'
import { countedMessage, type Message, message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { type MachineFault, readMachineFault } from '../runtime/machine-faults.ts'
import { createFileRefusal, createTooLargeRefusal, type RowCells, type SheetRow } from './formats/sheet.ts'
import { spoolFile } from './formats/spooled-file.ts'
import { openWithLayout, previewUnknownLayout, type RequestedLayout } from './laid-out-files.ts'
import { toStorableCells } from './lists/checked-cells.ts'
import { createLineWriter, LISTS, type ListName, parseHeader } from './lists/lists.ts'

/** The messages that the process sends, in addition to the lines. */
export type ChildMessage =
  | { kind: 'columns'; columns: string[]; header: string[] }
  | { kind: 'preview'; preview: FilePreview }
  | { kind: 'progress' | 'done'; rows: number }
  | { kind: 'refused'; code: 'validation_failed' | 'too_large'; problem: Message; cause?: string }
  | ({ kind: 'fault' } & MachineFault)

type LineOptions = {
  list: ListName
  rowsMax: number
  keepsCells?: boolean
  layout?: RequestedLayout | undefined
}

const ROWS_PER_PROGRESS_REPORT = 5_000

export async function* linesOf(
  source: AsyncIterable<Buffer>,
  { list, rowsMax, keepsCells, layout }: LineOptions,
  send: (message: ChildMessage) => Promise<void>,
): AsyncGenerator<Buffer> {
  const file = await spoolFile(source)
  const { nameEach } = LISTS[list]
  let writeLine: ((row: SheetRow) => string) | undefined
  let [rows, rowsReported, last] = [0, 0, 0]
  try {
    for await (const batch of await openWithLayout(file, nameEach, layout)) {
      let lines = ''
      for (const row of batch) {
        if (row.number <= last)
          throw createFileRefusal(message`The file is damaged: row ${row.number} comes after row ${last}.`)
        last = row.number
        // Skips empty rows, including those above the header.
        if (isEmptyRow(row.cells)) continue
        if (writeLine) {
          if (++rows > rowsMax) throw createTooManyRowsRefusal(rowsMax)
          lines += writeLine(row)
          continue
        }
        const preview = layout === 'ask' && (await previewUnknownLayout(file, row.cells, nameEach))
        if (preview) {
          await send({ kind: 'preview', preview })
          return await send({ kind: 'done', rows: 0 })
        }
        const header = parseHeader(row.cells, LISTS[list])
        writeLine = createLineWriter(list, header, keepsCells)
        await send({ kind: 'columns', columns: [...header.keys()], header: toStorableCells(row.cells) })
      }
      if (lines !== '') yield Buffer.from(lines)
      if (rows - rowsReported < ROWS_PER_PROGRESS_REPORT) continue
      rowsReported = rows
      await send({ kind: 'progress', rows })
    }
    // A file without rows has no header either, so this call refuses the file.
    if (!writeLine) parseHeader([], LISTS[list])
    await send({ kind: 'done', rows })
  } finally {
    // Closes the file explicitly, because the garbage collector closes an unreferenced handle even while the file is
    // being read.
    await file.handle.close()
  }
}

const createTooManyRowsRefusal = (rowsMax: number) =>
  createTooLargeRefusal(
    countedMessage(
      rowsMax,
      'The file has more than # row, which is the limit.',
      'The file has more than # rows, the maximum allowed.',
    ),
  )

function isEmptyRow(cells: RowCells): boolean {
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
  const fault = readMachineFault(error)
  if (fault) return { kind: 'fault', ...fault }
  // For any other error of a reader, the file is the cause. The error itself only goes to the log.
  return {
    kind: 'refused',
    code: 'validation_failed',
    problem: message`The file could not be read: it is damaged or incomplete.`,
    cause: error instanceof Error ? error.stack : String(error),
  }
}
