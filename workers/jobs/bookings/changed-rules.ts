// Checks a moved or extended booking against all rules, without counting it against itself.
import type { RefusalCode } from '../../../shared/messages/refusal.ts'
import { rawConnection } from '../../runtime/connection.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import type { OpenSpan } from '../claims/conflicts.ts'
import type { BookingFacts } from '../claims/facts.ts'
import { countsBookings, findBrokenRules } from '../rules/broken-rules.ts'
import { findBrokenCounts, lockUserBookings } from '../rules/counted-rules.ts'
import { throwUnlessOverridden } from '../rules/overrides.ts'

type Changed = {
  input: { id: number } & Parameters<typeof throwUnlessOverridden>[1]
  before: { user_id: number; isForGuest: boolean }
  span: OpenSpan
  facts: BookingFacts
}

/** Returns the overridden rules. */
export async function refuseBrokenRules(
  trx: Transaction,
  { input, before, span, facts }: Changed,
  { now, buildingIds }: WorkContext,
): Promise<RefusalCode[]> {
  const broken = findBrokenRules(facts.rules, span, now)
  if (facts.rules && countsBookings(facts.rules.rules)) {
    const connection = await rawConnection(trx)
    await lockUserBookings(connection, [before.user_id])
    const { user_id: userId, isForGuest } = before
    const counted = { userId, isForGuest, facts: facts.rules, span, now, bookingId: input.id, buildingIds }
    broken.push(...(await findBrokenCounts(connection, counted)))
  }
  return throwUnlessOverridden(broken, input)
}
