// A pool whose statements see only what a person may see (personal-limits.ts), for the pages of that person.
import type pg from 'pg'
import { limitTextToColleagues } from './personal-limits.ts'

/** The limited text of each statement. There are as many as the pages have. */
const texts = new Map<string, string>()

function limited(text: string, values: number): string {
  const key = `${values} ${text}`
  const known = texts.get(key) ?? limitTextToColleagues(text, values)
  texts.set(key, known)
  return known
}

export function limitPool(pool: pg.Pool, personId: number): pg.Pool {
  const query = (asked: string | pg.QueryConfig, given: unknown[] = []) => {
    const { name, text, values = given } = typeof asked === 'string' ? { text: asked } : asked
    const own = { text: limited(text, values.length), values: [...values, personId] }
    return pool.query(name === undefined ? own : { ...own, name: `${name}-colleagues` })
  }
  // A connection of its own would not be limited.
  const connect = () => Promise.reject(new Error('The pages of people send single statements'))
  return Object.create(pool, { query: { value: query }, connect: { value: connect } })
}
