// A pool for a person's pages, whose statements see only what that person may see (personal-limits.ts). All
// statements are prepared: Postgres plans each statement once per connection. Everything that a page selects
// in the same turn of the event loop becomes one statement, so that Postgres determines only once what the
// person may see, and a page takes one connection.
import type pg from 'pg'
import { getStatementName } from '../../../shared/database/prepared.ts'
import { limitTextToColleagues } from './personal-limits.ts'

type LimitedStatement = { text: string; name: string | undefined }
type Selection = { text: string; values: unknown[] }
type PendingSelection = Selection & { resolve(rows: unknown[]): void; reject(error: unknown): void }

/** The limited text of each named statement. The number of such statements is limited (see prepared.ts). */
const limitedStatements = new Map<string, LimitedStatement>()

function limitStatement(text: string, values: number): LimitedStatement {
  const known = limitedStatements.get(text)
  if (known) return known
  const limitedText = limitTextToColleagues(text, values)
  const statement = { text: limitedText, name: getStatementName(limitedText) }
  if (statement.name !== undefined) limitedStatements.set(text, statement)
  return statement
}

const turnsByPool = new WeakMap<pg.Pool, SelectionTurn>()

export function limitPool(pool: pg.Pool, personId: number): pg.Pool {
  const query = (asked: string | pg.QueryConfig<unknown[]>, given: unknown[] = []) => {
    const { text, values = given, ...options } = typeof asked === 'string' ? { text: asked } : asked
    return pool.query({ ...options, ...limitStatement(text, values.length), values: [...values, personId] })
  }
  // Throws, because statements on a separate connection would not be limited.
  const connect = () => Promise.reject(new Error('The pages of people send single statements'))
  const own: pg.Pool = Object.create(pool, { query: { value: query }, connect: { value: connect } })
  turnsByPool.set(own, new SelectionTurn(own))
  return own
}

/** Selects rows for a person's page. Use this method only for values that are the same whether they come from
 * JSON or from the driver. */
export async function selectFromPersonPool<Row>(pool: pg.Pool, selection: Selection): Promise<Row[]> {
  const turn = turnsByPool.get(pool)
  const rows = turn ? await turn.select(selection) : (await pool.query(selection)).rows
  return rows as Row[]
}

class SelectionTurn {
  readonly #pool: pg.Pool
  #asked: PendingSelection[] = []

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  select(selection: Selection): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ ...selection, resolve, reject })
      if (this.#asked.length === 1) queueMicrotask(() => this.#send())
    })
  }

  async #send() {
    const asked = this.#asked
    this.#asked = []
    try {
      const found = await this.#selectAll(asked)
      for (const [index, { resolve }] of asked.entries()) resolve(found[index] ?? [])
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }

  async #selectAll(asked: PendingSelection[]): Promise<unknown[][]> {
    const [first, ...others] = asked
    if (first && others.length === 0) return [(await this.#pool.query(first.text, first.values)).rows]
    const values = asked.flatMap((each) => each.values)
    const { rows } = await this.#pool.query<unknown[][]>({ text: joinTexts(asked), values, rowMode: 'array' })
    return rows[0] ?? []
  }
}

/**
 * Joins selections into one statement that returns a list of rows for each selection. The parameters of each selection
 * follow those of the selections before it.
 */
function joinTexts(asked: PendingSelection[]): string {
  let before = 0
  const lists = asked.map(({ text, values }) => {
    const own = text.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + before}`)
    before += values.length
    return `(SELECT coalesce(json_agg(row_to_json(part)), '[]') FROM (${own}) AS part)`
  })
  return `SELECT ${lists.join(', ')}`
}
