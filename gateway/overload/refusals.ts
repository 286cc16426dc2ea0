// Creates refusals of requests that would succeed if repeated later.
import { type Message, message } from '../../shared/messages/message.ts'
import { Refusal, type UnavailableReason } from '../../shared/messages/refusal.ts'
import { findNetwork } from '../auth/networks.ts'
import type { RateLimiter } from './rate-limiter.ts'

export function serviceUnavailable(reason: UnavailableReason, detail: Message): Refusal {
  return new Refusal('unavailable', detail, { reason })
}

const DATABASE_UNAVAILABLE = message`The database is unavailable. Nothing was changed; try again shortly.`
export const databaseUnavailable = () => serviceUnavailable('database_away', DATABASE_UNAVAILABLE)

export function createRateLimitRefusal(detail: Message, resetSeconds: number, headers = {}): Refusal {
  return new Refusal('rate_limited', detail, { headers: { ...headers, 'Retry-After': String(resetSeconds) } })
}

/** Counts a wrong guess. Returns `refusal`, or a refusal with the message `tooMany` after too many wrong guesses. */
export async function limitWrongGuesses<Wrong extends Error>(
  { rateLimiter, config }: { rateLimiter: RateLimiter; config: { failedSignInsPerMinute: number } },
  ip: string,
  refusal: Wrong,
  tooMany: Message,
): Promise<Wrong | Refusal> {
  const allowance = await rateLimiter.take(`address:${findNetwork(ip)}`, config.failedSignInsPerMinute)
  return allowance.allowed ? refusal : createRateLimitRefusal(tooMany, allowance.resetSeconds)
}
