// Counts requests with an unknown token or secret address by network, all of them together, so that guessing
// gets slow.
import type { Message } from '../../shared/messages/message.ts'
import type { Refusal } from '../../shared/messages/refusal.ts'
import { networkOf } from '../auth/networks.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { rateLimited } from './refusals.ts'

type Tools = { rateLimiter: RateLimiter; config: { failedSignInsPerMinute: number } }

/** Returns `refusal` to answer with, or a refusal with `tooMany` once there were too many guesses. */
export async function refuseWrongGuess(
  { rateLimiter, config }: Tools,
  ip: string,
  refusal: Refusal,
  tooMany: Message,
): Promise<Refusal> {
  const allowance = await rateLimiter.take(`address:${networkOf(ip)}`, config.failedSignInsPerMinute)
  return allowance.allowed ? refusal : rateLimited(tooMany, allowance.resetSeconds)
}
