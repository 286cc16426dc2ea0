// Measures the transactions of a piece of work: the number of statements, the number of rows written, and the
// duration. A statement outside of a transaction counts as one transaction.
import type { Knex } from 'knex'
import type pg from 'pg'

export type Transaction = {
  statements: string[]
  /** The number of rows inserted, updated and deleted. */
  rows: number
  openMs: number
}

const BEGIN_PATTERN = /^\s*begin\b/i
const END_PATTERN = /^\s*(commit|rollback)\s*;?\s*$/i
// Reads the count at the beginning and the end, because Postgres includes earlier writes of the connection.
const WRITTEN_ROWS_SQL = `
  SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::int AS rows FROM pg_stat_xact_all_tables
  WHERE schemaname = current_schema()`

/** Observes all connections that a database pool opens from now on. Returns a list to which transactions are added. */
export function observeTransactions(database: Knex): Transaction[] {
  const transactions: Transaction[] = []
  const { client } = database
  const open = client.acquireRawConnection.bind(client)
  client.acquireRawConnection = async () => observeConnection(await open(), transactions)
  return transactions
}

function observeConnection(connection: pg.Client, transactions: Transaction[]): pg.Client {
  let current: OpenTransaction | undefined
  const send: SendQuery = connection.query.bind(connection) as never
  const observe = async (parameters: unknown[]) => {
    const text = getQueryText(parameters[0])
    if (current && END_PATTERN.test(text)) {
      await end(send, current, transactions)
      current = undefined
      return send(...parameters)
    }
    if (current) {
      current.statements.push(summarizeQuery(text))
      return send(...parameters)
    }
    if (!BEGIN_PATTERN.test(text)) return sendAlone(send, parameters, transactions)
    const begun = await send(...parameters)
    current = await beginTransaction(send)
    return begun
  }
  connection.query = new Proxy(connection.query, {
    apply(query, client: pg.Client, parameters: unknown[]) {
      // A cursor or a COPY has no text, and sends its own messages.
      if (getQueryText(parameters[0]) === '') return Reflect.apply(query, client, parameters)
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

type SendQuery = (...parameters: unknown[]) => Promise<pg.QueryResult<{ rows: number }>>
type OpenTransaction = Transaction & { beganMs: number; writtenBefore: number }

async function beginTransaction(send: SendQuery): Promise<OpenTransaction> {
  const beganMs = performance.now()
  return { statements: [], rows: 0, openMs: 0, beganMs, writtenBefore: await countWritten(send) }
}

async function end(send: SendQuery, opened: OpenTransaction, transactions: Transaction[]): Promise<void> {
  opened.rows = (await countWritten(send)) - opened.writtenBefore
  opened.openMs = performance.now() - opened.beganMs
  transactions.push(opened)
}

// Skips a failed transaction, which writes nothing and accepts no query.
const countWritten = (send: SendQuery) =>
  send(WRITTEN_ROWS_SQL).then(
    ({ rows: [row] }) => row?.rows ?? 0,
    () => 0,
  )

async function sendAlone(send: SendQuery, parameters: unknown[], transactions: Transaction[]) {
  await send('BEGIN')
  const opened = await beginTransaction(send)
  opened.statements.push(summarizeQuery(getQueryText(parameters[0])))
  try {
    const result = await send(...parameters)
    await end(send, opened, transactions)
    return result
  } finally {
    await send('COMMIT')
  }
}

/** Returns an empty text for a cursor or a COPY. */
function getQueryText(query: unknown): string {
  if (typeof query === 'string') return query
  const { text, submit } = query as { text?: unknown; submit?: unknown }
  return typeof text === 'string' && !submit ? text : ''
}

const summarizeQuery = (text: string) => text.trim().replace(/\s+/g, ' ').slice(0, 60)
