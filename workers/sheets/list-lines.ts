// Turns an untrusted file into lines for COPY: all the work of the process that reads it.

import type { FilePreview } from '../../shared/imports/layouts.ts'
import { counted, type Message, message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { type MachineFault, readMachineFault } from '../runtime/machine-faults.ts'
import { type Cells, refuseFile, type SheetRow, tooLarge } from './formats/sheet.ts'
import { spoolFile } from './formats/spooled-file.ts'
import { type AskedLayout, openLaidOut, previewUnknown } from './laid-out-files.ts'
import { toStorableCells } from './lists/checked-cells.ts'
import { createLineWriter, LISTS, type ListName, parseHeader } from './lists/lists.ts'

/** What the process says besides the lines. */
export type ChildMessage =
  | { kind: 'columns'; columns: string[]; header: string[] }
  | { kind: 'preview'; preview: FilePreview }
  | { kind: 'progress' | 'done'; rows: number }
  | { kind: 'refused'; code: 'validation_failed' | 'too_large'; problem: Message; cause?: string }
  | ({ kind: 'fault' } & MachineFault)

type LineOptions = { list: ListName; rowsMax: number; keepsCells?: boolean; layout?: AskedLayout | undefined }

const PROGRESS_ROWS = 5_000

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
    for await (const batch of await openLaidOut(file, nameEach, layout)) {
      let lines = ''
      for (const row of batch) {
        if (row.number <= last)
          throw refuseFile(message`The file is damaged: row ${row.number} comes after row ${last}.`)
        last = row.number
        // Above the header, too.
        if (isEmpty(row.cells)) continue
        if (writeLine) {
          if (++rows > rowsMax) throw tooManyRows(rowsMax)
          lines += writeLine(row)
          continue
        }
        const preview = layout === 'ask' && (await previewUnknown(file, row.cells, nameEach))
        if (preview) {
          await send({ kind: 'preview', preview })
          return await send({ kind: 'done', rows: 0 })
        }
        const header = parseHeader(row.cells, LISTS[list])
        writeLine = createLineWriter(list, header, keepsCells)
        await send({ kind: 'columns', columns: [...header.keys()], header: toStorableCells(row.cells) })
      }
      if (lines !== '') yield Buffer.from(lines)
      if (rows - rowsReported < PROGRESS_ROWS) continue
      rowsReported = rows
      await send({ kind: 'progress', rows })
    }
    // A file without rows has no header either.
    if (!writeLine) parseHeader([], LISTS[list])
    await send({ kind: 'done', rows })
  } finally {
    // Closed explicitly: garbage collection closes an unreferenced handle even while it is read.
    await file.handle.close()
  }
}

const tooManyRows = (rowsMax: number) =>
  tooLarge(
    counted(
      rowsMax,
      'The file has more than # row, which is the limit.',
      'The file has more than # rows, which is the limit.',
    ),
  )

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
  const fault = readMachineFault(error)
  if (fault) return { kind: 'fault', ...fault }
  // Any other error of a reader is caused by the file. The cause is for the log.
  return {
    kind: 'refused',
    code: 'validation_failed',
    problem: message`The file could not be read: it is damaged or incomplete.`,
    cause: error instanceof Error ? error.stack : String(error),
  }
}
