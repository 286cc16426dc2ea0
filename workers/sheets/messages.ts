// What the child process that reads a sheet tells its parent; the rows themselves go through its standard output.

export type ChildMessage =
  | { kind: 'columns'; columns: string[]; header: string[] }
  | { kind: 'progress'; rows: number }
  | { kind: 'done'; rows: number; lastRow: number }
  | { kind: 'refused'; code: 'validation_failed' | 'too_large'; sentence: string; cause?: string }
