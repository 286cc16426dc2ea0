// Explains in mails why a place can no longer be used.
import { type Message, message } from '../../../shared/messages/message.ts'
import type { PlaceReasons } from './booking-mails.ts'

/** Explains why the place cannot be used. Returns undefined if the place is not the reason. */
export function findPlaceReason({ closedReason, isBlocked, isDeleted }: PlaceReasons): Message | undefined {
  if (closedReason !== null) return message`Reason: the place is closed at that time (${closedReason}).`
  if (isDeleted) return message`Reason: the place no longer exists.`
  return isBlocked ? message`Reason: the place is blocked.` : undefined
}
