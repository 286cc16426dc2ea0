// Refusals of requests that succeed when they are tried again later.
import { type Message, message } from '../../shared/messages/message.ts'
import { Refusal, type UnavailableReason } from '../../shared/messages/refusal.ts'

export function unavailable(reason: UnavailableReason, detail: Message): Refusal {
  return new Refusal('unavailable', detail, { reason })
}

export function databaseAway(): Refusal {
  return unavailable(
    'database_away',
    message`The database is unavailable. Nothing was changed; try again shortly.`,
  )
}

export function rateLimited(detail: Message, resetSeconds: number, headers = {}): Refusal {
  return new Refusal('rate_limited', detail, { headers: { ...headers, 'Retry-After': String(resetSeconds) } })
}
