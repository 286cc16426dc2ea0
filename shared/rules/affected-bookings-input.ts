// What happens to affected bookings, and rooms of events, when an administrator blocks, assigns, deletes or closes
// something. By default they stay, or the write is refused, as it always was.
import { message } from '../messages/message.ts'
import { choice, id, list, object, required, uuid } from '../schemas/fields.ts'
import { ids } from '../schemas/inputs.ts'
import { dateTime } from '../schemas/times.ts'

const MOVES = {
  move: { releasesRest: false, overridesRules: false },
  'move-or-release': { releasesRest: true, overridesRules: false },
  'move-overriding-rules': { releasesRest: false, overridesRules: true },
  'move-or-release-overriding-rules': { releasesRest: true, overridesRules: true },
}
type Move = keyof typeof MOVES
export type Resolution = 'ask' | 'leave' | 'release' | Move
const RESOLUTIONS: Resolution[] = ['ask', 'leave', 'release', ...(Object.keys(MOVES) as Move[])]

/** How it moves bookings; undefined if it moves none. */
export const moveOptions = (chosen: Resolution) => (chosen in MOVES ? MOVES[chosen as Move] : undefined)

/** The same choice, overriding rules if it moves bookings. */
export function overridingOf(chosen: Resolution): Resolution {
  if (chosen === 'move') return 'move-overriding-rules'
  return chosen === 'move-or-release' ? 'move-or-release-overriding-rules' : chosen
}

/** `ask` refuses if any booking is affected, `move` if one has nowhere else to go. */
export const resolution = () => choice(RESOLUTIONS, (name) => message`${name} must be one of the choices.`)

/**
 * `release_id` is the accepted job that releases them if they are too many for the write itself. Without it,
 * such a write is refused.
 */
export const affectedBookingsFields = () => ({ in_the_way: resolution(), release_id: uuid() })
export type AffectedBookingsInput = { in_the_way?: Resolution | undefined; release_id?: string | undefined }

const COUNT_MAX = 1_000_000
const time = () => object({ from: required(dateTime()), to: dateTime().nullable().defined() })

/** Which bookables become unavailable, when, and whose claims may stay nevertheless. */
export const unavailabilitySchema = object({
  ids: required(ids({ max: COUNT_MAX })),
  times: required(list(required(time()), { max: COUNT_MAX })),
  keptUsers: list(required(id()), { max: COUNT_MAX }),
})
