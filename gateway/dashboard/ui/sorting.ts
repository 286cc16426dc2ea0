// The order of a list: what its address asks for, and the SQL of it.
import { choice } from '../../../shared/contracts/fields.ts'
import { message } from '../../../shared/messages/message.ts'

/** By which of its columns a list is sorted. */
export type Order<Key extends string = string> = { key: Key; isDescending: boolean }

/** SQL of each key, which is never null: then the last comes first too where an index has it. */
export type OrderKeys<Key extends string> = Readonly<Record<Key, string>>

/** `sort=name`, and `sort=-name` for the last one first. */
export function sortChoice<Key extends string>(keys: readonly Key[]) {
  const values = keys.flatMap((key): Array<Key | `-${Key}`> => [key, `-${key}`])
  return choice(values, (name) => message`${name} must be one of the choices.`)
}

export function parseSort<Key extends string>(
  sort: Key | `-${Key}` | undefined,
  usual: Key | `-${Key}`,
): Order<Key> {
  const asked = sort ?? usual
  const isDescending = asked.startsWith('-')
  return { key: (isDescending ? asked.slice(1) : asked) as Key, isDescending }
}

/** SQL after ORDER BY. Rows that are equal stay in the order of their ids, so that each is on one page. */
export function orderSql<Key extends string>(keys: OrderKeys<Key>, order: Order<Key>, id: string): string {
  const direction = order.isDescending ? ' DESC' : ''
  return `${keys[order.key]}${direction}, ${id}${direction}`
}
