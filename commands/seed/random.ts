// Random numbers as SQL text. Each is a hash of the row's number, so that one seed always gives the same
// data, whatever plan Postgres chooses and in whatever order it visits rows, unlike setseed() and random().

export type Draw = (row: string, purpose: string, limit: number | string) => string

/** Draws SQL expressions for whole numbers from 0 up to, but not including, `limit`. */
export function createDraw(seed: number): Draw {
  return (row, purpose, limit) =>
    `((hashint8extended((${row})::bigint, hashtextextended(${quote(purpose)}, ${seed}))
      & 9223372036854775807) % (${limit}))`
}

/** An element of a constant list, by an SQL expression for its zero-based index. */
export function pick(list: readonly string[], index: string): string {
  return `(${textArray(list)})[1 + ${index}]`
}

export const textArray = (list: readonly string[]) => `ARRAY[${list.map(quote).join(', ')}]::text[]`

/** For constants of this folder only; external values must be bound. */
const quote = (text: string) => `'${text.replaceAll("'", "''")}'`
