// What handlers of jobs are, and the write that they get: who asked for it and when, its transaction, and what its
// statements return.
import type { Knex } from 'knex'
import {
  audit,
  auditEach,
  type Change,
  type ChangedRow,
  type FormerOf,
  type RecordedAction,
} from '../../shared/audit/audit.ts'
import type { AuditAction } from '../../shared/audit/audit-actions.ts'
import type { Author } from '../../shared/changes/author.ts'
import type { ChangedResource } from '../../shared/changes/changes-shape.ts'
import { type CREATED, type Former, readFormer } from '../../shared/changes/former.ts'
import { recordChanges } from '../../shared/changes/record.ts'
import { onlyRow } from '../../shared/database/database.ts'
import { rawPrepared } from '../../shared/database/prepared.ts'
import type { Actor, Envelope, InputOf, JobName, ReplyOf } from '../../shared/jobs/jobs.ts'
import type { Message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { type JsonTextSql, selectedText } from '../../shared/schemas/json.ts'
import type { Progress } from '../../shared/schemas/progress.ts'
import type { JsonText } from '../../shared/utilities/json-text.ts'
import { type Connection, rawConnection } from './connection.ts'

/** By position, or by name. */
export type Values = readonly unknown[] | Readonly<Record<string, unknown>>

/** A row as the audit log stores it. */
export type AuditedRow<Row = Record<string, unknown>> = { id: number; row: Row }

/** A handler's transaction and all that it knows of its caller. */
export type Write = WorkContext & Recorder

/** The statements of a transaction, and what it records in the name of its author. */
export type Recorder = Author & ReturnType<typeof statementsOf>

export const openWrite = <Who extends Author>(trx: Knex.Transaction, author: Who) => ({
  ...author,
  ...statementsOf(trx, author),
})

export async function queryAll<Row>(database: Knex, sql: string, values: Values = []): Promise<Row[]> {
  return (await rawPrepared<{ rows: Row[] }>(database, sql, values)).rows
}

function statementsOf(trx: Knex.Transaction, author: Author) {
  const all = <Row>(sql: string, values?: Values) => queryAll<Row>(trx, sql, values)
  const first = async <Row>(sql: string, values?: Values): Promise<Row | undefined> =>
    (await all<Row>(sql, values))[0]
  /** For a statement that always returns one row. */
  const only = async <Row>(sql: string, values?: Values) => onlyRow(await all<Row>(sql, values))
  const auditChanges = <Action extends AuditAction>(
    action: Action,
    former: FormerOf<Action>,
    changes: ChangedRow[],
  ) => auditEach(trx, author, action, former, changes)
  return {
    trx,
    all,
    first,
    only,
    /** The connection of the transaction, for COPY and for prepared statements. */
    connection: () => rawConnection(trx),
    async run(sql: string, values: Values = []) {
      await rawPrepared(trx, sql, values)
    },
    /** Refuses the write if there is no row. */
    async requireRow<Row>(sql: string, values: Values, missing: Message): Promise<Row> {
      const found = await first<Row>(sql, values)
      if (!found) throw new Refusal('not_found', missing)
      return found
    },
    ids: async (sql: string, values: Values) => (await all<{ id: number }>(sql, values)).map(({ id }) => id),
    /** The reply, built from the one row of `rows`, which are SQL: what follows FROM. */
    async reply<Reply>(reply: JsonTextSql<Reply>, rows: string, values: Values): Promise<JsonText<Reply>> {
      const { text } = await only<{ text: string }>(`SELECT ${reply} AS text FROM ${rows}`, values)
      return selectedText(reply, text)
    },
    /** Reads what the write is about to change, for the outbox. */
    readFormer: (resource: ChangedResource, ids: number[]) => readFormer(trx, resource, ids),
    audit: (change: Change) => audit(trx, author, change),
    auditEach: auditChanges,
    /** The same for rows before and after the write: one that is missing afterwards was deleted. */
    auditRows(
      action: RecordedAction,
      former: Former | typeof CREATED,
      { before, after }: { before?: AuditedRow<unknown>[]; after: AuditedRow<unknown>[] },
    ) {
      const rows = new Map(after.map(({ id, row }) => [id, row]))
      const changes = before?.map(({ id, row }) => ({ id, before: row, after: rows.get(id) }))
      return auditChanges(action, former, changes ?? after.map(({ id, row }) => ({ id, after: row })))
    },
    recordChanges: (what: Parameters<typeof recordChanges>[2], former: Former) =>
      recordChanges(trx, author, what, former),
  }
}

export type Transaction = Knex.Transaction

/** Who writes, and when. */
export type WriteContext = {
  actor: Actor
  /** The only buildings that the caller can see; undefined means all. */
  buildingIds: Envelope['buildingIds']
  /** The only person for whom the caller may write; undefined means anybody. */
  userId: Envelope['userId']
  requestId: string
  /** The attempt that this work is part of. */
  attempt: string
  baseUrl: string
  /** The moment the request arrived: the “now” of the write. */
  now: string
}

export type WorkContext = WriteContext & {
  /** The database identity that jobs carry. */
  identity: string
  /** Reports progress to the caller. Never part of the transaction. */
  report(progress: Progress): void
  /** For writes that others must see before the transaction ends: the chunks of a file. */
  database: Knex
}

/** Does the work of a job in an open transaction. Returns its reply: a value, or JSON text from Postgres. */
export type Handler<Name extends JobName> = (
  write: Write,
  input: InputOf<Name>,
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

/** Somebody else has taken what a write wants. The conflict is explained later. */
export const TAKEN = Symbol('taken')

export type BatchedWrite<Input> = { input: Input; context: WriteContext }

export type Writes<Input, Fact> = Array<{ write: BatchedWrite<Input>; fact: Fact }>

/**
 * Does the work of many jobs of one kind in a few statements. The facts are read before it is known which of
 * the writes still need doing, so that both queries are sent in one round trip. Facts are in the order of the writes.
 */
export type BatchHandler<Input, Fact, Reply> = {
  lockFacts(connection: Connection, writes: Array<BatchedWrite<Input>>): Promise<Fact[]>
  /** For each write, in order: its reply, or its refusal. A refused write changes nothing. */
  perform(connection: Connection, writes: Writes<Input, Fact>): Promise<Array<Reply | Refusal>>
  /** Explains conflicts outside of the locks of a batch, so that nobody waits for the explanation. */
  conflicts?: BatchConflicts<Input, Fact, Reply>
  /** The id of what a write changes: of several writes of one thing, only the first shares a transaction. */
  idOf?(input: Input): number
}

export type BatchConflicts<Input, Fact, Reply> = {
  /** Finds existing conflicts before anything is locked. In the order of the writes; may leave out those at the end. */
  find(connection: Connection, writes: Array<BatchedWrite<Input>>): Promise<Array<Refusal | undefined>>
  /** Does what `perform` does, but returns TAKEN for what was taken since. `known` is what `find` has found. */
  performOrLeave(
    connection: Connection,
    writes: Array<Writes<Input, Fact>[number] & { known: Refusal | undefined }>,
  ): Promise<Array<Reply | Refusal | typeof TAKEN>>
  /** Explains the TAKEN writes after the batch is committed. Undefined where nothing conflicts any more. */
  explain(connection: Connection, writes: Array<BatchedWrite<Input>>): Promise<Array<Refusal | undefined>>
}

/** Does the work of one job with the handler for many. */
export async function performOne<Input, Fact, Reply>(
  { lockFacts, perform }: BatchHandler<Input, Fact, Reply>,
  write: Write,
  input: Input,
): Promise<Reply> {
  const connection = await write.connection()
  const writes = [{ input, context: write }]
  const facts = await lockFacts(connection, writes)
  const decision = onlyRow(await perform(connection, withFacts(writes, facts)))
  if (decision instanceof Refusal) throw decision
  return decision
}

/** The writes for which `isOpen`, each with its fact. */
export function withFacts<Input, Fact>(
  writes: Array<BatchedWrite<Input>>,
  facts: Fact[],
  isOpen: (index: number) => boolean = () => true,
): Writes<Input, Fact> {
  return facts.flatMap((fact, index) => {
    const write = writes[index]
    return write && isOpen(index) ? [{ write, fact }] : []
  })
}

/** Refuses each write by itself; `perform` then does the others together, and returns a reply for each. */
export async function performUnrefused<Input, Fact, Open, Reply>(
  writes: Writes<Input, Fact | Refusal>,
  check: (write: BatchedWrite<Input>, fact: Fact) => Open,
  perform: (open: Open[]) => Promise<Array<Reply | Refusal>>,
): Promise<Array<Reply | Refusal>> {
  const checked = writes.map(({ write, fact }) =>
    fact instanceof Refusal ? fact : refusalBy(() => check(write, fact)),
  )
  const open = checked.filter((each): each is Exclude<typeof each, Refusal> => !(each instanceof Refusal))
  const decisions = open.length > 0 ? await perform(open) : []
  return checked.map((each) => {
    if (each instanceof Refusal) return each
    const [decision] = decisions.splice(0, 1)
    if (decision === undefined) throw new Error('A write has no reply')
    return decision
  })
}

/** The result, or the refusal that it throws. */
export function refusalBy<Result>(check: () => Result): Result | Refusal {
  try {
    return check()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
