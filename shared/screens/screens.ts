// Defines the settings of screens at the doors of rooms and in lobbies, and the jobs that write screens.
import { LANGUAGE_NAMES } from '../messages/languages.ts'
import { message } from '../messages/message.ts'
import { shownNamesInput } from '../people/shown-names.ts'
import * as answer from '../schemas/answers.ts'
import { choice, id, object, required, text, treatNullAsAbsent } from '../schemas/fields.ts'
import { idInput, sha256 } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'

export const SCREEN_KINDS = ['door', 'lobby'] as const
export type ScreenKind = (typeof SCREEN_KINDS)[number]

export const SCREEN_APPEARANCES = ['light', 'dark', 'e-ink'] as const
export type ScreenAppearance = (typeof SCREEN_APPEARANCES)[number]

/** The limit on screens that are switched on. */
export const SCREENS_MAX = 2_000

const choiceInput = <Value extends string>(values: readonly Value[]) =>
  choice(values, (name) => message`${name} is not one of the choices.`)

const screenFields = {
  name: required(text({ max: 255, min: 1 })),
  booking_user_id: treatNullAsAbsent(id()),
  names: required(shownNamesInput()),
  appearance: required(choiceInput(SCREEN_APPEARANCES)),
  language: required(choiceInput(LANGUAGE_NAMES)),
}

/** The hash of the secret in a screen's URL. Only the gateway that created the secret knows the secret itself. */
const hash = required(sha256())

export const screenJobs = {
  'screens.create': writeJob(
    object({
      kind: required(choiceInput(SCREEN_KINDS)),
      bookable_id: treatNullAsAbsent(id()),
      building_id: treatNullAsAbsent(id()),
      ...screenFields,
      hash,
    }),
    answer.idReply,
  ),
  'screens.update': writeJob(idInput.shape(screenFields), null),
  'screens.renew-address': writeJob(idInput.shape({ hash }), null),
  'screens.revoke': writeJob(idInput, null),
}
