// What a handler is handed beside its transaction and its input.
import type { Knex } from 'knex'
import type { Actor, InputOf, JobName } from '../shared/jobs.ts'

export type Transaction = Knex.Transaction

export type WorkContext = {
  actor: Actor
  requestId: string
  baseUrl: string
  /** The moment the request arrived: the “now” of the write. */
  now: string
}

/** Does the work of a job in an open transaction, and returns the finished text of the answer (null: no body). */
export type Handler<Name extends JobName> = (
  trx: Transaction,
  input: InputOf<Name>,
  context: WorkContext,
) => Promise<string | null>
