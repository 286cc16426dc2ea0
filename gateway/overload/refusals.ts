// Refusals of requests that succeed when they are tried again later.
import { type Message, message } from '../../shared/messages/message.ts'
import { Refusal, type UnavailableReason } from '../../shared/messages/refusal.ts'
import { networkOf } from '../auth/networks.ts'
import type { RateLimiter } from './rate-limiter.ts'

export function unavailable(reason: UnavailableReason, detail: Message): Refusal {
  return new Refusal('unavailable', detail, { reason })
}

const DATABASE_AWAY = message`The database is unavailable. Nothing was changed; try again shortly.`
export const databaseAway = () => unavailable('database_away', DATABASE_AWAY)

export function rateLimited(detail: Message, resetSeconds: number, headers = {}): Refusal {
  return new Refusal('rate_limited', detail, { headers: { ...headers, 'Retry-After': String(resetSeconds) } })
}

/** Returns `refusal` to answer with, or a refusal with `tooMany` once there were too many guesses. */
export async function refuseWrongGuess<Wrong extends Error>(
  { rateLimiter, config }: { rateLimiter: RateLimiter; config: { failedSignInsPerMinute: number } },
  ip: string,
  refusal: Wrong,
  tooMany: Message,
): Promise<Wrong | Refusal> {
  const allowance = await rateLimiter.take(`address:${networkOf(ip)}`, config.failedSignInsPerMinute)
  return allowance.allowed ? refusal : rateLimited(tooMany, allowance.resetSeconds)
}
