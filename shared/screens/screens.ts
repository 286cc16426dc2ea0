// Screens at the doors of rooms and in lobbies: what may be chosen for them, and their jobs.
import { LANGUAGE_NAMES } from '../messages/languages.ts'
import { message } from '../messages/message.ts'
import { shownNames } from '../people/shown-names.ts'
import * as answer from '../schemas/answers.ts'
import { choice, id, nullIsAbsent, object, required, text } from '../schemas/fields.ts'
import { byId, sha256 } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'

export const SCREEN_KINDS = ['door', 'lobby'] as const
export type ScreenKind = (typeof SCREEN_KINDS)[number]

export const SCREEN_APPEARANCES = ['light', 'dark', 'e-ink'] as const
export type ScreenAppearance = (typeof SCREEN_APPEARANCES)[number]

/** How many screens are switched on at most. */
export const SCREENS_MAX = 2_000

const oneOf = <Value extends string>(values: readonly Value[]) =>
  choice(values, (name) => message`${name} is not one of the choices.`)

const fields = {
  name: required(text({ max: 255, min: 1 })),
  booking_user_id: nullIsAbsent(id()),
  names: required(shownNames()),
  appearance: required(oneOf(SCREEN_APPEARANCES)),
  language: required(oneOf(LANGUAGE_NAMES)),
}

/** The secret of an address never leaves the gateway that has made it. */
const hash = required(sha256())

export const screenJobs = {
  'screens.create': write(
    object({
      kind: required(oneOf(SCREEN_KINDS)),
      bookable_id: nullIsAbsent(id()),
      building_id: nullIsAbsent(id()),
      ...fields,
      hash,
    }),
    answer.idReply,
  ),
  'screens.update': write(byId.shape(fields), null),
  'screens.renew-address': write(byId.shape({ hash }), null),
  'screens.revoke': write(byId, null),
}
