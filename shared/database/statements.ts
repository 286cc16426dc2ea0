// Reports every statement that this process sends to Postgres, so that it can be counted or traced. A connection that
// opens when there are no observers stays unchanged. Cursors and COPY are not reported, because they exchange several
// messages.
import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'

export type Statement = {
  connection: pg.Client
  pool: string
  /** The name of the statement if it is a prepared one. */
  name: string | undefined
  text: string
}

/**
 * Called when a statement is sent. The returned function is called when the statement ends, with the error if the
 * statement failed.
 */
type StatementObserver = (statement: Statement) => ((error?: unknown) => void) | undefined

const observers = new Set<StatementObserver>()

/**
 * Adds an observer of statements. Call this function before opening connections. Returns a function that removes the
 * observer.
 */
export function observeStatements(observer: StatementObserver): () => void {
  observers.add(observer)
  return () => observers.delete(observer)
}

/**
 * Watches a new connection. With `isUnnamed`, statements are sent without their names, so Postgres parses and plans
 * each statement again. This is for poolers that give each transaction another Postgres connection, which does not know
 * the statements that were prepared on the previous one.
 */
export function watchConnection(pool: string, connection: pg.Client, { isUnnamed }: { isUnnamed: boolean }) {
  if (observers.size === 0 && !isUnnamed) return
  connection.query = new Proxy(connection.query, {
    apply(query, client: pg.Client, [statement, ...others]: unknown[]) {
      const parameters = [isUnnamed ? removeStatementName(statement) : statement, ...others]
      const described = observers.size === 0 ? undefined : describeQuery(statement)
      if (!described) return Reflect.apply(query, client, parameters)
      const end = beginStatement({ connection, pool, ...described })
      return watchEnd(end, parameters, (all) => Reflect.apply(query, client, all))
    },
  })
}

// Removes the name of a statement. A cursor or a COPY, which submits itself, has no name.
function removeStatementName(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null || 'submit' in statement) return statement
  const { name: _, text, ...rest } = statement as { name?: string; text?: string }
  return { text, ...rest }
}

/**
 * When code returns a connection, the pool resumes the next waiting caller in the async context of that code. This
 * function keeps each caller's own context, so that its statements are attributed to the caller.
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

function describeQuery(query: unknown): Pick<Statement, 'name' | 'text'> | undefined {
  if (typeof query === 'string') return { name: undefined, text: query }
  const { name, text, submit } = query as { name?: string; text?: unknown; submit?: unknown }
  // A cursor or a COPY submits itself, and is not reported.
  return typeof text === 'string' && !submit ? { name, text } : undefined
}

function beginStatement(statement: Statement): (error?: unknown) => void {
  const ends = [...observers].map((observer) => observer(statement))
  return (error) => {
    for (const end of ends) end?.(error)
  }
}

// Reports the end of a statement. The driver passes the result to a callback if there is one, and otherwise to a
// promise.
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
