// The order of a list: parses it from the address, and builds its SQL.
import { oneOf } from './fields.ts'

/** The column by which a list is sorted. */
export type Order<Key extends string = string> = { key: Key; isDescending: boolean }

/** The SQL of each key. It is never null, so that an index serves the descending order too. */
export type OrderKeys<Key extends string> = Readonly<Record<Key, string>>

/** `sort=name`, or `sort=-name` for descending order. */
export function sortChoice<Key extends string>(keys: OrderKeys<Key> | readonly Key[]) {
  const names = Array.isArray(keys) ? (keys as Key[]) : (Object.keys(keys) as Key[])
  const values = names.flatMap((key): Array<Key | `-${Key}`> => [key, `-${key}`])
  return oneOf(values)
}

export function parseSort<Key extends string>(sort: Key | `-${Key}` | undefined, usual: Key | `-${Key}`) {
  const asked = sort ?? usual
  const isDescending = asked.startsWith('-')
  return { key: (isDescending ? asked.slice(1) : asked) as Key, isDescending }
}

/** SQL after ORDER BY. Equal rows are ordered by id, so that each appears on exactly one page. */
export function orderSql<Key extends string>(keys: OrderKeys<Key>, order: Order<Key>, id: string): string {
  const direction = order.isDescending ? ' DESC' : ''
  return `${keys[order.key]}${direction}, ${id}${direction}`
}
