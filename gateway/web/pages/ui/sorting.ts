// The sort order of a list: parses it from the address, and builds its SQL.
import { oneOfChoices } from './fields.ts'

/** The column by which a list is sorted, and the direction. */
export type Order<Key extends string = string> = { key: Key; isDescending: boolean }

/** The SQL of each sort key. It must never be null, so that an index can also be used for the descending order. */
export type OrderKeys<Key extends string> = Readonly<Record<Key, string>>

/** A field for the sort order: `sort=name`, or `sort=-name` for descending order. */
export function sortChoice<Key extends string>(keys: OrderKeys<Key> | readonly Key[]) {
  const names = Array.isArray(keys) ? (keys as Key[]) : (Object.keys(keys) as Key[])
  const values = names.flatMap((key): Array<Key | `-${Key}`> => [key, `-${key}`])
  return oneOfChoices(values)
}

export function parseSort<Key extends string>(sort: Key | `-${Key}` | undefined, usual: Key | `-${Key}`) {
  const asked = sort ?? usual
  const isDescending = asked.startsWith('-')
  return { key: (isDescending ? asked.slice(1) : asked) as Key, isDescending }
}

/**
 * Returns the SQL after ORDER BY. Rows with equal keys are sorted by id, so that each row appears on exactly one page.
 */
export function orderSql<Key extends string>(keys: OrderKeys<Key>, order: Order<Key>, id: string): string {
  const direction = order.isDescending ? ' DESC' : ''
  return `${keys[order.key]}${direction}, ${id}${direction}`
}
