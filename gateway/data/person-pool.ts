// A pool whose statements see only what a person may see (personal-limits.ts), for the pages of that person. All are
// prepared: Postgres plans each once for a connection.
import type pg from 'pg'
import { nameOf } from '../../shared/database/prepared.ts'
import { limitTextToColleagues } from './personal-limits.ts'

type Limited = { text: string; name: string | undefined }

/** The limited text of each statement. There are as many as the pages have. */
const statements = new Map<string, Limited>()

function limited(text: string, values: number): Limited {
  const key = `${values} ${text}`
  const known = statements.get(key)
  if (known) return known
  const limitedText = limitTextToColleagues(text, values)
  const statement = { text: limitedText, name: nameOf(limitedText) }
  statements.set(key, statement)
  return statement
}

export function limitPool(pool: pg.Pool, personId: number): pg.Pool {
  const query = (asked: string | pg.QueryConfig, given: unknown[] = []) => {
    const { text, values = given } = typeof asked === 'string' ? { text: asked } : asked
    return pool.query({ ...limited(text, values.length), values: [...values, personId] })
  }
  // A connection of its own would not be limited.
  const connect = () => Promise.reject(new Error('The pages of people send single statements'))
  return Object.create(pool, { query: { value: query }, connect: { value: connect } })
}
