// Reports every statement that this process sends to Postgres, to count or trace them. A connection opened
// without observers stays unchanged. Cursors and COPY are not reported, because they are conversations.
import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'

export type Statement = {
  connection: pg.Client
  pool: string
  /** The name of a prepared statement. */
  name: string | undefined
  text: string
}

/**
 * Called when a statement is sent. The function that it returns is called at its end, with its error if it
 * failed.
 */
type StatementObserver = (statement: Statement) => ((error?: unknown) => void) | undefined

const observers = new Set<StatementObserver>()

/** Call it before connections are opened. Returns a function that stops it. */
export function observeStatements(observer: StatementObserver): () => void {
  observers.add(observer)
  return () => observers.delete(observer)
}

/**
 * Watches a new connection. With `isUnnamed`, statements are sent without their names, so Postgres parses and
 * plans each of them again: for a pooler that gives each transaction another Postgres connection, and does
 * not know what was prepared on the one before.
 */
export function watchConnection(pool: string, connection: pg.Client, { isUnnamed }: { isUnnamed: boolean }) {
  if (observers.size === 0 && !isUnnamed) return
  connection.query = new Proxy(connection.query, {
    apply(query, client: pg.Client, [statement, ...others]: unknown[]) {
      const parameters = [isUnnamed ? withoutName(statement) : statement, ...others]
      const described = observers.size === 0 ? undefined : describe(statement)
      if (!described) return Reflect.apply(query, client, parameters)
      const end = begin({ connection, pool, ...described })
      return watchEnd(end, parameters, (all) => Reflect.apply(query, client, all))
    },
  })
}

// A query that submits itself, a cursor or a COPY, has no name.
function withoutName(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null || 'submit' in statement) return statement
  const { name: _, text, ...rest } = statement as { name?: string; text?: string }
  return { text, ...rest }
}

/**
 * The pool calls a waiting caller from wherever a connection is given back: without this, the caller's
 * statements would be attributed to that place.
 */
export function watchPool(pool: pg.Pool) {
  if (observers.size === 0) return
  pool.connect = new Proxy(pool.connect, {
    apply(connect, self: pg.Pool, [callback]: unknown[]) {
      const bound = typeof callback === 'function' ? [AsyncLocalStorage.bind(callback as () => void)] : []
      return Reflect.apply(connect, self, bound)
    },
  })
}

function describe(query: unknown): Pick<Statement, 'name' | 'text'> | undefined {
  if (typeof query === 'string') return { name: undefined, text: query }
  const { name, text, submit } = query as { name?: string; text?: unknown; submit?: unknown }
  // A query that submits itself is a cursor or a COPY.
  return typeof text === 'string' && !submit ? { name, text } : undefined
}

function begin(statement: Statement): (error?: unknown) => void {
  const ends = [...observers].map((observer) => observer(statement))
  return (error) => {
    for (const end of ends) end?.(error)
  }
}

// The driver answers by a callback if it gets one, else by a promise.
function watchEnd(
  end: (error?: unknown) => void,
  parameters: unknown[],
  send: (parameters: unknown[]) => unknown,
): unknown {
  const callback = parameters.at(-1)
  try {
    if (typeof callback === 'function') {
      const told = (...answer: unknown[]) => {
        end(answer[0] ?? undefined)
        callback(...answer)
      }
      return send([...parameters.slice(0, -1), told])
    }
    const result = send(parameters)
    if (result instanceof Promise) result.then(() => end(), end)
    else end()
    return result
  } catch (error) {
    end(error)
    throw error
  }
}
