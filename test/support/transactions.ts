// The transactions of some work: how many statements each sends, how many rows it writes, and how long it is open. A
// statement outside of a transaction counts as one transaction.
import type { Knex } from 'knex'
import type pg from 'pg'

export type Transaction = {
  statements: string[]
  /** Rows inserted, updated and deleted. */
  rows: number
  openMs: number
}

const BEGINS = /^\s*begin\b/i
const ENDS = /^\s*(commit|rollback)\s*;?\s*$/i
// Postgres includes what the connection wrote before this transaction, so the count is read at both ends.
const WRITTEN = `
  SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::int AS rows FROM pg_stat_xact_all_tables
  WHERE schemaname = current_schema()`

/** Observes all connections that this database opens from now on. Returns the list that grows. */
export function observeTransactions(database: Knex): Transaction[] {
  const transactions: Transaction[] = []
  const { client } = database
  const open = client.acquireRawConnection.bind(client)
  client.acquireRawConnection = async () => observeConnection(await open(), transactions)
  return transactions
}

function observeConnection(connection: pg.Client, transactions: Transaction[]): pg.Client {
  let current: Opened | undefined
  const send: Send = connection.query.bind(connection) as never
  const observe = async (parameters: unknown[]) => {
    const text = textOf(parameters[0])
    if (current && ENDS.test(text)) {
      await end(send, current, transactions)
      current = undefined
      return send(...parameters)
    }
    if (current) {
      current.statements.push(summaryOf(text))
      return send(...parameters)
    }
    if (!BEGINS.test(text)) return sendAlone(send, parameters, transactions)
    const begun = await send(...parameters)
    current = await begin(send)
    return begun
  }
  connection.query = new Proxy(connection.query, {
    apply(query, client: pg.Client, parameters: unknown[]) {
      // A cursor or a COPY sends itself.
      if (textOf(parameters[0]) === '') return Reflect.apply(query, client, parameters)
      const callback = parameters.at(-1)
      if (typeof callback !== 'function') return observe(parameters)
      observe(parameters.slice(0, -1)).then(
        (result) => callback(null, result),
        (error) => callback(error),
      )
    },
  })
  return connection
}

type Send = (...parameters: unknown[]) => Promise<pg.QueryResult<{ rows: number }>>
type Opened = Transaction & { beganMs: number; writtenBefore: number }

async function begin(send: Send): Promise<Opened> {
  const beganMs = performance.now()
  return { statements: [], rows: 0, openMs: 0, beganMs, writtenBefore: await countWritten(send) }
}

async function end(send: Send, opened: Opened, transactions: Transaction[]): Promise<void> {
  opened.rows = (await countWritten(send)) - opened.writtenBefore
  opened.openMs = performance.now() - opened.beganMs
  transactions.push(opened)
}

// Postgres does not answer in a transaction that has failed, and such a transaction writes nothing.
const countWritten = (send: Send) =>
  send(WRITTEN).then(
    ({ rows: [row] }) => row?.rows ?? 0,
    () => 0,
  )

async function sendAlone(send: Send, parameters: unknown[], transactions: Transaction[]) {
  await send('BEGIN')
  const opened = await begin(send)
  opened.statements.push(summaryOf(textOf(parameters[0])))
  try {
    const result = await send(...parameters)
    await end(send, opened, transactions)
    return result
  } finally {
    await send('COMMIT')
  }
}

/** Empty for a cursor or a COPY. */
function textOf(query: unknown): string {
  if (typeof query === 'string') return query
  const { text, submit } = query as { text?: unknown; submit?: unknown }
  return typeof text === 'string' && !submit ? text : ''
}

const summaryOf = (text: string) => text.trim().replace(/\s+/g, ' ').slice(0, 60)
