// What people read about the faults of a provider. No message has credentials, titles or addresses of people.
import { type Message, message } from '../../messages/message.ts'
import { type CalendarProviderName, PROVIDER_LABELS } from '../room-calendars.ts'
import { type FaultKind, ProviderFault } from './provider.ts'

/** Describes why a calendar could not be read or written (`room_calendars.fault`, `calendar_entries.fault`). */
export function describeFault(provider: CalendarProviderName, error: unknown): Message {
  const label = PROVIDER_LABELS[provider]
  if (!(error instanceof ProviderFault)) return message`Berth failed. The log of the process hooks says why.`
  const text = error.message
  switch (error.kind) {
    case 'throttled':
      return message`${label} asks for fewer requests. Berth continues later.`
    case 'credentials_refused':
      return message`${label} does not accept the credentials: ${text}`
    case 'forbidden':
      return error.permission === undefined
        ? message`${label} does not allow this: ${text}`
        : message`${label} does not allow this. The permission ${error.permission} may be missing: ${text}`
    case 'not_found':
      return message`${label} does not find this: ${text}`
    case 'unavailable':
      return message`${label} did not answer as expected: ${text}`
    case 'emptied':
      return message`The calendar no longer has any of the entries that Berth wrote, as if somebody had created it anew. Berth has cancelled nothing. To write the entries again, unlink the room and link it again.`
    default:
      return message`${label} did not accept this: ${text}`
  }
}

/** The kind of a fault as `room_calendars.fault_kind` stores it. `internal` is a fault of Berth. */
export const getFaultKind = (error: unknown): FaultKind | 'internal' =>
  error instanceof ProviderFault ? error.kind : 'internal'

const BACKOFF_SECONDS = [5, 30, 120, 300, 900]

/** Returns how long to wait before the next try, after this number of failures in a row. */
export function getRetryMs(error: unknown, failures: number): number {
  if (error instanceof ProviderFault && error.kind === 'throttled' && error.retryAfterMs !== undefined)
    return error.retryAfterMs
  const seconds = BACKOFF_SECONDS[Math.min(Math.max(failures, 1), BACKOFF_SECONDS.length) - 1] ?? 900
  return seconds * 1_000
}
