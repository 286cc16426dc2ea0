// Messages from the child process that reads a sheet; the rows go through its standard output.
import type { Message } from '../../shared/messages/message.ts'

export type ChildMessage =
  | { kind: 'columns'; columns: string[]; header: string[] }
  | { kind: 'progress'; rows: number }
  | { kind: 'done'; rows: number; lastRow: number }
  | { kind: 'refused'; code: 'validation_failed' | 'too_large'; problem: Message; cause?: string }
