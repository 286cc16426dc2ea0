// A client that sends user lists one after the other, with or without waiting for the result. Each list creates three
// users and marks one user whom all lists change.
import { findDecisiveTry, type History, type Write } from '../history.ts'
import { findImportMismatch } from './mismatch.ts'
import { SHARED_EMAIL } from './office.ts'
import type { Sender } from './sender.ts'

export const USERS_CREATED_PER_IMPORT = 3

type ImporterParts = { sender: Sender; history: History; index: number; wantsAsync: boolean }

export class Importer {
  readonly #parts: ImporterParts
  #number = 0

  constructor(parts: ImporterParts) {
    this.#parts = parts
  }

  async act(forMs: number): Promise<Write> {
    const { history, sender, index, wantsAsync } = this.#parts
    const mark = `i${index}-${++this.#number}`
    const created = Array.from(
      { length: USERS_CREATED_PER_IMPORT },
      (_, row) => `${mark}.${row}@chaos.example,Ann ${row},`,
    )
    const lines = ['email,name,extensionAttribute1', ...created, `${SHARED_EMAIL},Shared,${mark}`, '']
    const filename = `${mark}.csv`
    const file = { name: filename, text: lines.join('\n') }
    const write = history.begin({
      mark,
      kind: wantsAsync ? 'import without waiting' : 'import',
      token: index % 2,
      key: `i${Math.floor(index / 2)}-${this.#number}`,
      request: { method: 'POST', path: 'users/import', file, wantsAsync },
      refusals: [],
      mismatch: findImportMismatch({ filename, created: USERS_CREATED_PER_IMPORT }),
    })
    const verdict = await sender.perform(write, forMs)
    const id = findDecisiveTry(write)?.id
    // Waits for the accepted job to end, because the gateway accepts only a limited number of jobs at a time.
    if (wantsAsync && verdict === 'done' && id) await sender.awaitJob(write, id, forMs)
    return write
  }
}
