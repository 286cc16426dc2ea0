// Defines the handlers of jobs, and the write that is passed to them: who requested it and when, its transaction, and
// what its statements return.
import type { Knex } from 'knex'
import {
  type AuditedChange,
  type ChangedRow,
  type FormerStateOf,
  type RecordedAction,
  recordAudit,
  recordAuditOfEach,
} from '../../shared/audit/audit.ts'
import type { AuditAction } from '../../shared/audit/audit-actions.ts'
import type { Author } from '../../shared/changes/author.ts'
import type { ChangedResource } from '../../shared/changes/changes-shape.ts'
import { type FormerState, type NEWLY_CREATED, readFormerState } from '../../shared/changes/former-state.ts'
import { recordChanges } from '../../shared/changes/record.ts'
import { getOnlyRow } from '../../shared/database/database.ts'
import { runPreparedStatement } from '../../shared/database/prepared.ts'
import type { Actor, Envelope, InputOf, JobName, ReplyOf } from '../../shared/jobs/jobs.ts'
import type { Message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { type JsonTextSql, selectedText } from '../../shared/schemas/json.ts'
import type { Progress } from '../../shared/schemas/progress.ts'
import type { JsonText } from '../../shared/utilities/json-text.ts'
import { type Connection, getConnection } from './connection.ts'

/** The values of an SQL statement, by position or by name. */
export type SqlValues = readonly unknown[] | Readonly<Record<string, unknown>>

/** A row as the audit log stores it. */
export type AuditedRow<Row = Record<string, unknown>> = { id: number; row: Row }

/** The transaction of a handler, and everything that the handler knows about its caller. */
export type Write = WorkContext & Recorder

/**
 * The statements of a transaction, and what it records in the name of its author.
 * Pollers use it without a caller.
 */
export type Recorder = Author & ReturnType<typeof createStatements>

export const openWrite = <Who extends Author>(trx: Knex.Transaction, author: Who) => ({
  ...author,
  ...createStatements(trx, author),
})

export async function queryAll<Row>(database: Knex, sql: string, values: SqlValues = []): Promise<Row[]> {
  return (await runPreparedStatement<{ rows: Row[] }>(database, sql, values)).rows
}

function createStatements(trx: Knex.Transaction, author: Author) {
  const all = <Row>(sql: string, values?: SqlValues) => queryAll<Row>(trx, sql, values)
  const first = async <Row>(sql: string, values?: SqlValues): Promise<Row | undefined> =>
    (await all<Row>(sql, values))[0]
  /** Runs a statement that always returns exactly one row. */
  const only = async <Row>(sql: string, values?: SqlValues) => getOnlyRow(await all<Row>(sql, values))
  const auditChanges = <Action extends AuditAction>(
    action: Action,
    former: FormerStateOf<Action>,
    changes: ChangedRow[],
  ) => recordAuditOfEach(trx, author, action, former, changes)
  return {
    trx,
    all,
    first,
    only,
    /** Returns the transaction's connection, for COPY and prepared statements. */
    connection: () => getConnection(trx),
    async run(sql: string, values: SqlValues = []) {
      await runPreparedStatement(trx, sql, values)
    },
    /** Returns the first row. Refuses the write if there is none. */
    async requireRow<Row>(sql: string, values: SqlValues, missing: Message): Promise<Row> {
      const found = await first<Row>(sql, values)
      if (!found) throw new Refusal('not_found', missing)
      return found
    },
    ids: async (sql: string, values: SqlValues) =>
      (await all<{ id: number }>(sql, values)).map(({ id }) => id),
    /** Builds the reply from a single row. `rows` is the SQL that follows FROM. */
    async reply<Reply>(reply: JsonTextSql<Reply>, rows: string, values: SqlValues): Promise<JsonText<Reply>> {
      const { text } = await only<{ text: string }>(`SELECT ${reply} AS text FROM ${rows}`, values)
      return selectedText(reply, text)
    },
    /** Reads the current state of what the write is about to change, for the outbox. */
    readFormer: (resource: ChangedResource, ids: number[]) => readFormerState(trx, resource, ids),
    audit: (change: AuditedChange) => recordAudit(trx, author, change),
    auditEach: auditChanges,
    /** Records rows before and after the write in the audit log. A row that is missing afterwards was deleted. */
    auditRows(
      action: RecordedAction,
      former: FormerState | typeof NEWLY_CREATED,
      { before, after }: { before?: AuditedRow<unknown>[]; after: AuditedRow<unknown>[] },
    ) {
      const rows = new Map(after.map(({ id, row }) => [id, row]))
      const changes = before?.map(({ id, row }) => ({ id, before: row, after: rows.get(id) }))
      return auditChanges(action, former, changes ?? after.map(({ id, row }) => ({ id, after: row })))
    },
    recordChanges: (what: Parameters<typeof recordChanges>[2], former: FormerState) =>
      recordChanges(trx, author, what, former),
  }
}

export type Transaction = Knex.Transaction

/** Describes who makes a write, and when. */
export type WriteContext = {
  actor: Actor
  /** The buildings that the caller can see. If undefined, the caller can see all. */
  buildingIds: Envelope['buildingIds']
  /** The only person for whom the caller may write. If undefined, the caller may write for anybody. */
  userId: Envelope['userId']
  requestId: string
  /** The id of the attempt that this work is part of. */
  attempt: string
  baseUrl: string
  /** The time at which the request arrived, which the write uses as the current time. */
  now: string
}

export type WorkContext = WriteContext & {
  /** The identity of the database, as jobs contain it. */
  identity: string
  /** Reports progress to the caller. Does so outside of the transaction, so that the caller sees it immediately. */
  report(progress: Progress): void
  /**
   * The database outside of the transaction, for writes that others must see before the transaction ends, such as the
   * chunks of a file.
   */
  database: Knex
}

/** Does the work of a job in an open transaction. Returns the reply to the job: a value, or JSON text from Postgres. */
export type Handler<Name extends JobName> = (
  write: Write,
  input: InputOf<Name>,
) => Promise<HandlerReply<ReplyOf<Name>> | typeof MORE_PIECES_LEFT>

/**
 * The handlers of the jobs with these names, such as `webhooks.${string}`. If a handler is missing, the code does not
 * compile.
 */
export type Handlers<Names extends string> = { [Name in Extract<JobName, Names>]: Handler<Name> }

export type HandlerReply<Reply> = Reply | JsonText<Reply> | ReplyWithETag<Reply>

/** A reply to a change of one resource, with the ETag that a GET of the resource now returns. */
export class ReplyWithETag<Reply> {
  readonly text: JsonText<Reply>
  readonly etag: string

  constructor(text: JsonText<Reply>, etag: string) {
    this.text = text
    this.etag = etag
  }
}

/**
 * Returned when one batch of an accepted job is done. The handler is called for the next batch in a new transaction.
 */
export const MORE_PIECES_LEFT = Symbol('unfinished')

/** Returned when somebody else has taken what a write wants. The conflict is explained after the transaction. */
export const TAKEN_BY_OTHERS = Symbol('taken')

export type BatchedWrite<Input> = { input: Input; context: WriteContext }

export type WritesWithFacts<Input, Fact> = Array<{ write: BatchedWrite<Input>; fact: Fact }>

/**
 * Does the work of many jobs of the same kind with a few statements. Facts are read before the worker knows which
 * writes it has to perform, so that both queries take one round trip. Facts are in the order of the writes.
 */
export type BatchHandler<Input, Fact, Reply> = {
  lockFacts(connection: Connection, writes: Array<BatchedWrite<Input>>): Promise<Fact[]>
  /** Returns, for each write in order, its reply or its refusal. A refused write changes nothing. */
  perform(connection: Connection, writes: WritesWithFacts<Input, Fact>): Promise<Array<Reply | Refusal>>
  /** Explains conflicts after the locks of a batch are released, so that nobody waits for the explanation. */
  conflicts?: BatchConflicts<Input, Fact, Reply>
  /**
   * Returns the id of the resource that a write changes. If several writes change the same resource, only the first of
   * them runs in the batch.
   */
  idOf?(input: Input): number
  /** The limit on attempts in one transaction, if it is lower than the usual one. */
  attemptsMax?: number
}

export type BatchConflicts<Input, Fact, Reply> = {
  /**
   * Finds existing conflicts before anything is locked. Returns the conflicts in the order of the writes, and may omit
   * those at the end.
   */
  find(connection: Connection, writes: Array<BatchedWrite<Input>>): Promise<Array<Refusal | undefined>>
  /**
   * Performs the writes as `perform` does, but returns TAKEN_BY_OTHERS for a write if somebody else has taken its place
   * meanwhile. `known` contains the conflicts that `find` returned.
   */
  performOrLeave(
    connection: Connection,
    writes: Array<WritesWithFacts<Input, Fact>[number] & { known: Refusal | undefined }>,
  ): Promise<Array<Reply | Refusal | typeof TAKEN_BY_OTHERS>>
  /**
   * Explains the writes for which TAKEN_BY_OTHERS was returned, after the batch is committed. Returns undefined for a
   * write that no longer has a conflict.
   */
  explain(connection: Connection, writes: Array<BatchedWrite<Input>>): Promise<Array<Refusal | undefined>>
}

/** Performs a single job with the batch handler. */
export async function performSingleWrite<Input, Fact, Reply>(
  { lockFacts, perform }: BatchHandler<Input, Fact, Reply>,
  write: Write,
  input: Input,
): Promise<Reply> {
  const connection = await write.connection()
  const writes = [{ input, context: write }]
  const facts = await lockFacts(connection, writes)
  const decision = getOnlyRow(await perform(connection, openWritesWithFacts(writes, facts)))
  if (decision instanceof Refusal) throw decision
  return decision
}

/** Returns the writes for which `isOpen` is true, along with their facts. */
export function openWritesWithFacts<Input, Fact>(
  writes: Array<BatchedWrite<Input>>,
  facts: Fact[],
  isOpen: (index: number) => boolean = () => true,
): WritesWithFacts<Input, Fact> {
  return facts.flatMap((fact, index) => {
    const write = writes[index]
    return write && isOpen(index) ? [{ write, fact }] : []
  })
}

/**
 * Checks each write separately. Then `perform` performs all writes that were not refused, and returns a reply for each
 * of them.
 */
export async function performUnrefusedWrites<Input, Fact, Open, Reply>(
  writes: WritesWithFacts<Input, Fact | Refusal>,
  check: (write: BatchedWrite<Input>, fact: Fact) => Open,
  perform: (open: Open[]) => Promise<Array<Reply | Refusal>>,
): Promise<Array<Reply | Refusal>> {
  const checked = writes.map(({ write, fact }) =>
    fact instanceof Refusal ? fact : catchRefusal(() => check(write, fact)),
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

/** Returns the result of the check. If the check throws a refusal, returns the refusal. */
export function catchRefusal<Result>(check: () => Result): Result | Refusal {
  try {
    return check()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
