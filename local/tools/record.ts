// The file local.json, which `npm start` writes for its next start, for commands and for other programs.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type LocalRecord = {
  url: string
  token: string
  admin: { email: string; password: string }
  databaseUrl: string
  redisUrl: string
}

/** A damaged file counts as missing: everything in it can be created again. */
export function readRecord(directory: string): Partial<LocalRecord> {
  try {
    return JSON.parse(readFileSync(recordFile(directory), 'utf8')) as Partial<LocalRecord>
  } catch {
    return {}
  }
}

export function writeRecord(directory: string, record: LocalRecord): void {
  const draft = `${recordFile(directory)}.new`
  writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, recordFile(directory))
}

function recordFile(directory: string): string {
  return join(directory, 'local.json')
}
