// What a handler is handed beside its transaction and its input.
import type { Knex } from 'knex'
import type { Progress } from '../shared/contracts/progress.ts'
import type { Actor, Envelope, InputOf, JobName, ReplyOf } from '../shared/jobs.ts'
import type { Refusal } from '../shared/refusal.ts'
import type { JsonText } from '../shared/shapes/json-text.ts'
import type { Connection } from './connection.ts'

export type Transaction = Knex.Transaction

/** Who writes, and when. */
export type WriteContext = {
  actor: Actor
  /** The only buildings that exist for whoever writes; undefined means all. */
  buildingIds: Envelope['buildingIds']
  requestId: string
  baseUrl: string
  /** The moment the request arrived: the “now” of the write. */
  now: string
}

export type WorkContext = WriteContext & {
  /** The attempt that this work is part of. */
  attempt: string
  /** The database, as a job says whose it is. */
  identity: string
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
) => Promise<Done<ReplyOf<Name>> | typeof UNFINISHED>

export type Done<Reply> = Reply | JsonText<Reply> | ReplyWithETag<Reply>

/** The reply of a change of one resource, with the ETag that its GET has from then on. */
export class ReplyWithETag<Reply> {
  readonly text: JsonText<Reply>
  readonly etag: string

  constructor(text: JsonText<Reply>, etag: string) {
    this.text = text
    this.etag = etag
  }
}

/** A piece of an accepted job is done and stays done: the handler is asked again for the next one, in a transaction of its own. */
export const UNFINISHED = Symbol('unfinished')

export type Write<Input> = { input: Input; context: WriteContext }

/**
 * Does the work of many jobs of a kind in a few statements for all of them. Its facts are asked for before it is known which
 * of the writes are still to be done, so that the question travels with that one; they come in the order of the writes.
 */
export type BatchHandler<Input, Fact, Reply> = {
  lockFacts(connection: Connection, writes: Array<Write<Input>>): Promise<Fact[]>
  /** For each write, in their order: its reply, or why it is refused; a refused one leaves nothing behind. */
  perform(
    connection: Connection,
    writes: Array<{ write: Write<Input>; fact: Fact }>,
  ): Promise<Array<JsonText<Reply> | Refusal>>
}
