// What a handler is handed beside its transaction and its input.
import type { Knex } from 'knex'
import type { Progress } from '../shared/contracts/progress.ts'
import type { Actor, InputOf, JobName, ReplyOf } from '../shared/jobs.ts'
import type { JsonText } from '../shared/shapes/json-text.ts'

export type Transaction = Knex.Transaction

export type WorkContext = {
  actor: Actor
  requestId: string
  baseUrl: string
  /** The moment the request arrived: the “now” of the write. */
  now: string
  /** The attempt that this work is part of. */
  attempt: string
  /** Tells whoever waits how far it is. Never part of the transaction. */
  report(progress: Progress): void
  /** For what must be seen by others before the transaction ends: the chunks of a file. */
  database: Knex
}

/** Does the work of a job in an open transaction, and returns its reply: a value, or its text as Postgres finished it. */
export type Handler<Name extends JobName> = (
  trx: Transaction,
  input: InputOf<Name>,
  context: WorkContext,
) => Promise<ReplyOf<Name> | JsonText<ReplyOf<Name>>>
