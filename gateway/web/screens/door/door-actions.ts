// The actions of a screen at a door: book, check in, end a booking, and undo ending it. Each action is a
// normal write by the screen.
import { randomUUID } from 'node:crypto'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { formatInstant } from '../../../../shared/utilities/date-times.ts'
import type { AttemptOrigin } from '../../../queue/dispatch.ts'
import { requireReply } from '../../../queue/replies.ts'
import { computeFingerprint } from '../../../server/http/middleware/idempotency.ts'
import type { Context } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import { createOrigin } from '../../pages/page/actions.ts'
import { SCREEN_NOT_FOUND } from '../screen/find-screen.ts'
import { shareScreenReads } from '../screen/screen-share.ts'
import type { Screen } from '../screen/views.ts'
import { BOOKABLE_MINUTES, canCheckIn, computeBookingEnd } from './door-state.ts'
import { type Door, type DoorClaim, findDoors } from './queries.ts'
import { type EndedClaim, parseEndedClaim, undoEnd } from './undo-end.ts'

export type DoorForm = { action?: string; booking?: string; minutes?: string; ended?: string; key?: string }

type DoorPress = { services: Services; door: Door; now: string; origin: AttemptOrigin }

const UUID_PATTERN = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const DOOR_HAS_CHANGED = message`Something has changed here in the meantime. Please check again.`
const CANNOT_BOOK_HERE = message`Nobody can book at this screen.`

/** Performs an action. Returns the booking or event that was ended, which can be undone. */
export async function performDoorAction(
  services: Services,
  ctx: Context,
  screen: Screen,
  pressed: DoorForm,
): Promise<EndedClaim | undefined> {
  const now = formatInstant(ctx.state.receivedMs)
  const [found] = await shareScreenReads(services, screen, (pool) => findDoors(pool, [screen.id], now))
  if (!found) throw new Refusal('not_found', SCREEN_NOT_FOUND)
  const press = { services, door: found.door, now, origin: createPressOrigin(ctx, screen, pressed) }
  const { action, booking, minutes, ended } = pressed
  if (action === 'undo') {
    await undoEnd(services, screen, parseEndedClaim(ended), press.origin)
    return undefined
  }
  if (action === 'book') {
    await createBooking(press, minutes)
    return undefined
  }
  const claim = found.door.claims.find(({ id }) => String(id) === booking)
  if (!claim) throw new Refusal('validation_failed', DOOR_HAS_CHANGED)
  if (action === 'end') return endClaim(press, claim)
  await checkIn(press, claim)
  return undefined
}

function createPressOrigin(
  ctx: Context,
  { id, name }: Screen,
  { key = '', ...asked }: DoorForm,
): AttemptOrigin {
  return {
    ...createOrigin(ctx, { type: 'system', id, name: `Screen ${name}` }),
    idempotency: {
      scope: `screen:${id}`,
      key: UUID_PATTERN.test(key) ? key : randomUUID(),
      fingerprint: computeFingerprint(asked),
    },
  }
}

async function createBooking(
  { services, door, now, origin }: DoorPress,
  minutes: string | undefined,
): Promise<void> {
  const asked = BOOKABLE_MINUTES.find((each) => String(each) === minutes)
  if (door.bookerId === null || asked === undefined) throw new Refusal('not_for_this_user', CANNOT_BOOK_HERE)
  const { bookableId: bookable_id, locationId: location_id, bookerId: user_id } = door
  const times = { from_time: null, to_time: computeBookingEnd(door, now, asked) }
  const input = { bookable_id, location_id, user_id, ...times, user_vehicle_id: null }
  requireReply(await services.dispatcher.dispatch('bookings.create', input, origin))
}

/** Checks in. A second press on the same button changes nothing. */
async function checkIn({ services, now, origin }: DoorPress, claim: DoorClaim): Promise<void> {
  if (claim.isCheckedIn) return
  if (!canCheckIn(claim, now)) throw new Refusal('validation_failed', DOOR_HAS_CHANGED)
  const { dispatcher } = services
  if (claim.eventId === null)
    requireReply(await dispatcher.dispatch('bookings.check-in', { id: claim.id }, origin))
  else requireReply(await dispatcher.dispatch('events.check-in', { id: claim.eventId }, origin))
}

async function endClaim(
  { services, now, origin }: DoorPress,
  { id, eventId, from, to, mayEnd }: DoorClaim,
): Promise<EndedClaim | undefined> {
  if (to !== null && to <= now) return undefined
  if (from > now || !mayEnd) throw new Refusal('validation_failed', DOOR_HAS_CHANGED)
  const { dispatcher } = services
  if (eventId === null) requireReply(await dispatcher.dispatch('bookings.cancel', { ids: [id] }, origin))
  else requireReply(await dispatcher.dispatch('events.update', { id: eventId, to_time: now }, origin))
  return eventId === null ? { kind: 'bookings', id } : { kind: 'events', id: eventId }
}
