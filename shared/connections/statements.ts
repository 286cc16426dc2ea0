// Every statement that this process sends to Postgres, for whoever counts or traces them. Where nobody does as a connection
// is made, it is left as it is. Cursors and COPY, which are conversations, are not told.
import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'

export type Statement = {
  connection: pg.Client
  pool: string
  /** Of one that is prepared. */
  name: string | undefined
  text: string
}

/** Is told of a statement as it is sent. What it returns is told of its end, and of what it failed with. */
type StatementObserver = (statement: Statement) => ((error?: unknown) => void) | undefined

const observers = new Set<StatementObserver>()

/** To be called before connections are made. Returns what ends it. */
export function observeStatements(observer: StatementObserver): () => void {
  observers.add(observer)
  return () => observers.delete(observer)
}

export function watchConnection(pool: string, connection: pg.Client) {
  if (observers.size === 0) return
  connection.query = new Proxy(connection.query, {
    apply(query, client: pg.Client, parameters: unknown[]) {
      const described = describe(parameters[0])
      if (!described) return Reflect.apply(query, client, parameters)
      const end = begin({ connection, pool, ...described })
      return watchEnd(end, parameters, (all) => Reflect.apply(query, client, all))
    },
  })
}

/** Whoever waits for a connection of a pool is called from where one is given back: statements must not be taken for theirs. */
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
  // What submits itself is a cursor or a COPY.
  return typeof text === 'string' && !submit ? { name, text } : undefined
}

function begin(statement: Statement): (error?: unknown) => void {
  const ends = [...observers].map((observer) => observer(statement))
  return (error) => {
    for (const end of ends) end?.(error)
  }
}

// The driver answers by a callback, where it is given one, or by a promise.
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
