// The choice of what happens to affected bookings and event rooms when an administrator blocks, assigns, deletes or
// closes something. If there is no choice, Berth behaves as in earlier releases: depending on the action, affected
// bookings stay, or the action is refused.
import { message } from '../messages/message.ts'
import { choice, id, list, object, required, uuid } from '../schemas/fields.ts'
import { idList } from '../schemas/inputs.ts'
import { dateTime } from '../schemas/times.ts'

const MOVE_OPTIONS = {
  move: { releasesRest: false, overridesRules: false },
  'move-or-release': { releasesRest: true, overridesRules: false },
  'move-overriding-rules': { releasesRest: false, overridesRules: true },
  'move-or-release-overriding-rules': { releasesRest: true, overridesRules: true },
}
type MoveResolution = keyof typeof MOVE_OPTIONS
export type Resolution = 'ask' | 'leave' | 'release' | MoveResolution
const RESOLUTIONS: Resolution[] = [
  'ask',
  'leave',
  'release',
  ...(Object.keys(MOVE_OPTIONS) as MoveResolution[]),
]

/** Returns the options for moving bookings that belong to this choice, or undefined if the choice moves no bookings. */
export const getMoveOptions = (chosen: Resolution) =>
  chosen in MOVE_OPTIONS ? MOVE_OPTIONS[chosen as MoveResolution] : undefined

/** Returns the same choice, changed to override rules if it moves bookings. */
export function toOverridingResolution(chosen: Resolution): Resolution {
  if (chosen === 'move') return 'move-overriding-rules'
  return chosen === 'move-or-release' ? 'move-or-release-overriding-rules' : chosen
}

/**
 * The choice `ask` refuses the write if any booking is affected. The choice `move` refuses the write if a booking
 * cannot be moved.
 */
export const resolutionChoice = () =>
  choice(RESOLUTIONS, (name) => message`${name} must be one of the choices.`)

/**
 * `release_id` is the id of the accepted job that releases the bookings if there are too many for the write itself. If
 * `release_id` is absent, such a write is refused.
 */
export const affectedBookingsFields = () => ({ in_the_way: resolutionChoice(), release_id: uuid() })
export type AffectedBookingsInput = { in_the_way?: Resolution | undefined; release_id?: string | undefined }

const CLAIM_COUNT_MAX = 1_000_000
const timeInput = () => object({ from: required(dateTime()), to: dateTime().nullable().defined() })

/** The bookables that become unavailable, the times at which they are unavailable, and the users whose claims
 * may stay. */
export const unavailabilitySchema = object({
  ids: required(idList({ max: CLAIM_COUNT_MAX })),
  times: required(list(required(timeInput()), { max: CLAIM_COUNT_MAX })),
  keptUsers: list(required(id()), { max: CLAIM_COUNT_MAX }),
})
