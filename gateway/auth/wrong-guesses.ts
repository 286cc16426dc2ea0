// Whoever comes with a token or a secret address that nobody has is counted by their network, all of these together, so that
// guessing gets slow.
import type { Message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/refusal.ts'
import { networkOf } from './networks.ts'
import type { RateLimiter } from './rate-limiter.ts'

type Tools = { rateLimiter: RateLimiter; config: { failedSignInsPerMinute: number } }

/** What they are refused with: `refusal`, until there were too many; then `tooMany`. */
export async function refuseWrongGuess(
  { rateLimiter, config }: Tools,
  ip: string,
  refusal: Refusal,
  tooMany: Message,
): Promise<Refusal> {
  const allowance = await rateLimiter.take(`address:${networkOf(ip)}`, config.failedSignInsPerMinute)
  if (allowance.allowed) return refusal
  return new Refusal('rate_limited', tooMany, {
    headers: { 'Retry-After': String(allowance.resetSeconds) },
  })
}
