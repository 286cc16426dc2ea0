// Refusals of writes, also those by a constraint of the database, and the outcomes made of them.
import type { Envelope, RefusedOutcome } from '../../shared/jobs/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import { invalid, keyReused, problemBody, Refusal } from '../../shared/messages/refusal.ts'

// By the name of a violated constraint. Handlers check most of these themselves; this covers what changes between
// their check and their write.
const MEANINGS: Record<string, () => Refusal> = {
  bookings__no_overlap: () => new Refusal('booking_conflict', message`The time is taken.`),
  bookables__integration_email_unique: () =>
    invalid({ integration_email: [message`Another room has this e-mail.`] }),
  bookables__location: () => invalid({ location_id: [message`There is no floor with this id.`] }),
  bookings__bookable: () => invalid({ bookable_id: [message`There is no desk or room with this id.`] }),
  bookings__user: () => invalid({ user_id: [message`There is no active person with this id.`] }),
  groups__name_unique: () => invalid({ name: [message`Another group has this name.`] }),
  locations__building: () => invalid({ building_id: [message`There is no building with this id.`] }),
  tokens__hash_unique: () => invalid({ hash: [message`There already is a token with this hash.`] }),
  calendars__hash_unique: keyReused,
  bookable_assignees__user: () => invalid({ user_id: [message`There is no active person with this id.`] }),
  event_attendees__user: () => invalid({ user_id: [message`There is no active person with this id.`] }),
  events__organizer: () => invalid({ organizer_user_id: [message`There is no active person with this id.`] }),
  bookings__vehicle: () => invalid({ user_vehicle_id: [message`This is not one of the person’s vehicles.`] }),
  vehicles__license_plate_unique: () =>
    invalid({ license_plate: [message`A vehicle with this plate is listed already.`] }),
  users__email_unique: () => invalid({ email: [message`Another person has this e-mail.`] }),
  users__upn_unique: () => invalid({ upn: [message`Another person has this UPN.`] }),
}

export function constraintRefusal(error: unknown): Refusal | undefined {
  const { constraint } = (error ?? {}) as { constraint?: unknown }
  return typeof constraint === 'string' ? MEANINGS[constraint]?.() : undefined
}

/** Undefined for a bug or a fault. */
export const refusalFromError = (error: unknown) =>
  error instanceof Refusal ? error : constraintRefusal(error)

export function refusedOutcome(refusal: Refusal, envelope: Envelope): RefusedOutcome {
  const { status, code, detail, errors } = refusal
  return {
    status,
    body: problemBody(refusal, envelope),
    refused: code,
    messages: { detail, ...(errors ? { errors } : {}) },
  }
}
