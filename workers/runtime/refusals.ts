// Creates the refusals of writes, and their outcomes. Some refusals come from violated database constraints.
import type { Envelope, RefusedOutcome } from '../../shared/jobs/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import {
  createKeyReusedRefusal,
  createProblemBody,
  invalidFields,
  Refusal,
} from '../../shared/messages/refusal.ts'

// The refusals by the name of the violated constraint. Handlers check most of these conditions themselves.
// The constraints catch changes that others make between a handler's check and its write.
const REFUSALS_BY_CONSTRAINT: Record<string, () => Refusal> = {
  bookings__no_overlap: () => new Refusal('booking_conflict', message`The time is taken.`),
  absences__no_overlap: () =>
    new Refusal('already_away', message`The person is already away on some of these days.`),
  loans__no_overlap: () => new Refusal('in_use', message`It is already lent on some of these days.`),
  bookables__integration_email_unique: () =>
    invalidFields({ integration_email: [message`This e-mail address belongs to another room.`] }),
  bookables__location: () => invalidFields({ location_id: [message`There is no floor with this id.`] }),
  bookings__bookable: () => invalidFields({ bookable_id: [message`There is no desk or room with this id.`] }),
  bookings__user: () => invalidFields({ user_id: [message`There is no active person with this id.`] }),
  groups__name_unique: () => invalidFields({ name: [message`Another group has this name.`] }),
  locations__building: () => invalidFields({ building_id: [message`There is no building with this id.`] }),
  tokens__hash_unique: () => invalidFields({ hash: [message`A token with this hash already exists.`] }),
  calendars__hash_unique: createKeyReusedRefusal,
  bookable_assignees__user: () =>
    invalidFields({ user_id: [message`There is no active person with this id.`] }),
  event_attendees__user: () => invalidFields({ user_id: [message`There is no active person with this id.`] }),
  events__organizer: () =>
    invalidFields({ organizer_user_id: [message`There is no active person with this id.`] }),
  bookings__vehicle: () =>
    invalidFields({ user_vehicle_id: [message`This is not one of the person’s vehicles.`] }),
  vehicles__license_plate_unique: () =>
    invalidFields({ license_plate: [message`This person already has a vehicle with this plate.`] }),
  team_days__one_a_date: () =>
    invalidFields({ date: [message`The group already has a team day on this date.`] }),
  team_days__one_a_weekday: () =>
    invalidFields({ weekday: [message`The group already has a team day on this weekday.`] }),
  users__email_unique: () =>
    invalidFields({ email: [message`This e-mail address belongs to another person.`] }),
  users__upn_unique: () => invalidFields({ upn: [message`This UPN belongs to another person.`] }),
}

export function findConstraintRefusal(error: unknown): Refusal | undefined {
  const { constraint } = (error ?? {}) as { constraint?: unknown }
  return typeof constraint === 'string' ? REFUSALS_BY_CONSTRAINT[constraint]?.() : undefined
}

/** Returns the refusal that an error stands for, or undefined for a bug or a fault. */
export const toRefusal = (error: unknown) => (error instanceof Refusal ? error : findConstraintRefusal(error))

export function createRefusedOutcome(refusal: Refusal, envelope: Envelope): RefusedOutcome {
  const { status, code, detail, errors } = refusal
  return {
    status,
    body: createProblemBody(refusal, envelope),
    refused: code,
    messages: { detail, ...(errors ? { errors } : {}) },
  }
}
