// The server under test: a gateway, its data, and the output of its processes.
import type { Knex } from 'knex'
import type { LogLine } from '../../support/processes.ts'
import type { Finding } from '../findings.ts'
import type { Dictionary } from '../requests/dictionary.ts'

export type Stage = {
  url: string
  database: Knex
  dictionary: Dictionary
  /** Returns errors logged since the last call, and processes that have ended. */
  takeErrors(): Finding[]
}

const ERROR_LEVEL = 50

export function findErrors(lines: LogLine[]): Finding[] {
  return lines
    .filter(({ level }) => Number(level) >= ERROR_LEVEL)
    .map((line) => ({ promise: 'no error in the logs', what: JSON.stringify(line).slice(0, 2_000) }))
}
