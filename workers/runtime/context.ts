// What a handler gets in addition to its transaction and its input.
import type { Knex } from 'knex'
import type { Actor, Envelope, InputOf, JobName, ReplyOf } from '../../shared/jobs/jobs.ts'
import type { Refusal } from '../../shared/messages/refusal.ts'
import type { Progress } from '../../shared/schemas/progress.ts'
import type { JsonText } from '../../shared/utilities/json-text.ts'
import type { Connection } from './connection.ts'

export type Transaction = Knex.Transaction

/** Who writes, and when. */
export type WriteContext = {
  actor: Actor
  /** The only buildings that the caller can see; undefined means all. */
  buildingIds: Envelope['buildingIds']
  requestId: string
  baseUrl: string
  /** The moment the request arrived: the “now” of the write. */
  now: string
}

export type WorkContext = WriteContext & {
  /** The attempt that this work is part of. */
  attempt: string
  /** The database identity that jobs carry. */
  identity: string
  /** Reports progress to the caller. Never part of the transaction. */
  report(progress: Progress): void
  /** For writes that others must see before the transaction ends: the chunks of a file. */
  database: Knex
}

/** Does the work of a job in an open transaction. Returns its reply: a value, or JSON text from Postgres. */
export type Handler<Name extends JobName> = (
  trx: Transaction,
  input: InputOf<Name>,
  context: WorkContext,
) => Promise<Done<ReplyOf<Name>> | typeof UNFINISHED>

/** The handlers of some jobs, such as `webhooks.${string}`: one that is missing does not compile. */
export type Handlers<Names extends string> = { [Name in Extract<JobName, Names>]: Handler<Name> }

export type Done<Reply> = Reply | JsonText<Reply> | ReplyWithETag<Reply>

/** The reply of a change of one resource, with the ETag that its GET now has. */
export class ReplyWithETag<Reply> {
  readonly text: JsonText<Reply>
  readonly etag: string

  constructor(text: JsonText<Reply>, etag: string) {
    this.text = text
    this.etag = etag
  }
}

/** A piece of an accepted job is done; the handler is called for the next piece in a new transaction. */
export const UNFINISHED = Symbol('unfinished')

export type Write<Input> = { input: Input; context: WriteContext }

type Writes<Input, Fact> = Array<{ write: Write<Input>; fact: Fact }>

/**
 * Does the work of many jobs of one kind in a few statements. The facts are read before it is known which of
 * the writes still need doing, so that both questions travel together. Facts are in the order of the writes.
 */
export type BatchHandler<Input, Fact, Reply> = {
  lockFacts(connection: Connection, writes: Array<Write<Input>>): Promise<Fact[]>
  /** For each write, in order: its reply, or its refusal. A refused write changes nothing. */
  perform(connection: Connection, writes: Writes<Input, Fact>): Promise<Array<JsonText<Reply> | Refusal>>
}

/** The writes for which `isOpen`, each with its fact. */
export function withFacts<Input, Fact>(
  writes: Array<Write<Input>>,
  facts: Fact[],
  isOpen: (index: number) => boolean = () => true,
): Writes<Input, Fact> {
  return facts.flatMap((fact, index) => {
    const write = writes[index]
    return write && isOpen(index) ? [{ write, fact }] : []
  })
}
