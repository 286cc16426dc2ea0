// Finds the bookings that a person may make for somebody else, because the rules of the place allow it.
import { isHiddenFromSql } from '../../../shared/people/visibility.ts'
import { mayBookForSql } from '../../../shared/rules/book-for-others.ts'
import { ruleInForceSql, ruleRowsSql } from '../../../shared/rules/rules-shape.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { BatchedWrite } from '../../runtime/write.ts'
import { belongsToAnotherUser } from '../rows/personal-tokens.ts'
import { toColumnArrays } from '../rows/rows.ts'

type BookingWrite = BatchedWrite<{ bookable_id: number; user_id: number }>

const ALLOWED_SQL = `
  SELECT asked.index FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[])
    AS asked (index, bookable_id, user_id, booker_id)
  JOIN users ON users.id = asked.user_id AND users.deactivated_at IS NULL
  JOIN (SELECT bookables.id, ${ruleInForceSql('bookables', 'book_for_others')} AS rule FROM ${ruleRowsSql('bookables')})
    AS places ON places.id = asked.bookable_id
  WHERE ${mayBookForSql('places.rule', 'asked.booker_id', 'asked.user_id')}
    AND NOT ${isHiddenFromSql('asked.user_id', 'asked.booker_id')}`

/**
 * Returns the indexes in `writes` of the bookings for somebody else that the rules allow. A person who hides from the
 * booker counts as missing.
 */
export async function findAllowedForOthers(
  connection: Connection,
  writes: BookingWrite[],
): Promise<Set<number>> {
  const asked = writes.flatMap(({ input: { bookable_id, user_id }, context }, index) =>
    belongsToAnotherUser(context, user_id) ? [{ index, bookable_id, user_id, booker: context.userId }] : [],
  )
  if (asked.length === 0) return new Set()
  const { rows } = await connection.query<{ index: number }>({
    name: 'find-allowed-for-others',
    text: ALLOWED_SQL,
    values: toColumnArrays(asked, ['index', 'bookable_id', 'user_id', 'booker']),
  })
  return new Set(rows.map(({ index }) => index))
}
