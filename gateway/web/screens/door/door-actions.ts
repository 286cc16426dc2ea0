// The actions of a screen at a door: book, check in, end, and undo an end. Each is a normal write by the screen.
import { randomUUID } from 'node:crypto'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { instantOf } from '../../../../shared/utilities/date-times.ts'
import type { Origin } from '../../../queue/dispatch.ts'
import { replyOf } from '../../../queue/replies.ts'
import { fingerprintOf } from '../../../server/http/middleware/idempotency.ts'
import type { Context } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import { originFrom } from '../../pages/page/actions.ts'
import { NO_SCREEN } from '../screen/find-screen.ts'
import { shareReads } from '../screen/screen-share.ts'
import type { Screen } from '../screen/views.ts'
import { BOOKED_MINUTES, bookedUntil, mayCheckIn } from './door-state.ts'
import { type Claim, type Door, findDoors } from './queries.ts'
import { type Ended, parseEnded, undoEnd } from './undo-end.ts'

export type DoorForm = { action?: string; booking?: string; minutes?: string; ended?: string; key?: string }

type Press = { services: Services; door: Door; now: string; origin: Origin }

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const HAS_CHANGED = message`Something has changed here meanwhile. Please look again.`
const BOOKS_NOTHING = message`Nobody can book at this screen.`

/** Returns the booking or event that the press has ended, which can be undone. */
export async function actAtDoor(
  services: Services,
  ctx: Context,
  screen: Screen,
  pressed: DoorForm,
): Promise<Ended | undefined> {
  const now = instantOf(ctx.state.receivedMs)
  const [found] = await shareReads(services, screen, (pool) => findDoors(pool, [screen.id], now))
  if (!found) throw new Refusal('not_found', NO_SCREEN)
  const press = { services, door: found.door, now, origin: originOf(ctx, screen, pressed) }
  const { action, booking, minutes, ended } = pressed
  if (action === 'undo') {
    await undoEnd(services, screen, parseEnded(ended), press.origin)
    return undefined
  }
  if (action === 'book') {
    await book(press, minutes)
    return undefined
  }
  const claim = found.door.claims.find(({ id }) => String(id) === booking)
  if (!claim) throw new Refusal('validation_failed', HAS_CHANGED)
  if (action === 'end') return end(press, claim)
  await checkIn(press, claim)
  return undefined
}

function originOf(ctx: Context, { id, name }: Screen, { key = '', ...asked }: DoorForm): Origin {
  return {
    ...originFrom(ctx, { type: 'system', id, name: `Screen ${name}` }),
    idempotency: {
      scope: `screen:${id}`,
      key: UUID.test(key) ? key : randomUUID(),
      fingerprint: fingerprintOf(asked),
    },
  }
}

async function book({ services, door, now, origin }: Press, minutes: string | undefined): Promise<void> {
  const asked = BOOKED_MINUTES.find((each) => String(each) === minutes)
  if (door.bookerId === null || asked === undefined) throw new Refusal('not_for_this_user', BOOKS_NOTHING)
  const { bookableId: bookable_id, locationId: location_id, bookerId: user_id } = door
  const times = { from_time: null, to_time: bookedUntil(door, now, asked) }
  const input = { bookable_id, location_id, user_id, ...times, user_vehicle_id: null }
  replyOf(await services.dispatcher.dispatch('bookings.create', input, origin))
}

/** A second press on the same button changes nothing. */
async function checkIn({ services, now, origin }: Press, claim: Claim): Promise<void> {
  if (claim.isCheckedIn) return
  if (!mayCheckIn(claim, now)) throw new Refusal('validation_failed', HAS_CHANGED)
  const { dispatcher } = services
  if (claim.eventId === null)
    replyOf(await dispatcher.dispatch('bookings.check-in', { id: claim.id }, origin))
  else replyOf(await dispatcher.dispatch('events.check-in', { id: claim.eventId }, origin))
}

async function end(
  { services, now, origin }: Press,
  { id, eventId, from, to, mayEnd }: Claim,
): Promise<Ended | undefined> {
  if (to !== null && to <= now) return undefined
  if (from > now || !mayEnd) throw new Refusal('validation_failed', HAS_CHANGED)
  const { dispatcher } = services
  if (eventId === null) replyOf(await dispatcher.dispatch('bookings.cancel', { ids: [id] }, origin))
  else replyOf(await dispatcher.dispatch('events.update', { id: eventId, to_time: now }, origin))
  return eventId === null ? { kind: 'bookings', id } : { kind: 'events', id: eventId }
}
