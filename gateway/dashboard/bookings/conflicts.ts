// Tells administrators what conflicts with a booking or an event: who has it, and when. (The API never
// reveals whose booking it is.)
import { joinMessages, type Message, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { ActionCall } from '../kit/page.ts'
import { type ConflictingClaim, listConflictingClaims } from './queries.ts'

type RequestedClaim = {
  bookableIds: number[]
  from: string
  to: string | null
  /** The page shows free alternatives itself, with links. */
  linksFree?: true
}
type Own = { booking?: number; event?: number }

/** Performs the write. If the time is taken, the refusal says by whom. */
export async function explainConflicts<Result>(
  call: ActionCall,
  requested: RequestedClaim,
  own: Own,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'booking_conflict') throw error
    const claims = await listConflictingClaims(call.services.primary, requested, own)
    // The conflicting claim may be gone by now. Then the workers' message is all there is.
    if (claims.length === 0) throw error
    const free = requested.linksFree ? [] : describeAlternatives(error)
    throw new Refusal('booking_conflict', joinMessages([...claims.map(describeClaim), ...free]))
  }
}

function describeClaim({ bookable, holder, email, event, from, to, zone }: ConflictingClaim): Message {
  const who = event === null ? `${holder} (${email})` : message`the event “${event}” (${holder})`
  return message`${bookable} is taken by ${who} ${{ from, to, zone }}.`
}

function describeAlternatives({ members }: Refusal): Message[] {
  const free = (members.alternatives ?? []) as Array<{ name: string }>
  if (free.length === 0) return []
  return [message`Free at that time: ${free.map(({ name }) => name).join(', ')}.`]
}
