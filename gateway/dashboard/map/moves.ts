// Parses the moves that the arrange page's script sends (client/move-save.ts): what moved, where to and from.
import * as yup from 'yup'
import { MANY_MAX } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { exact } from '../../../shared/messages/strict.ts'
import { list, object, required } from '../../../shared/schemas/fields.ts'
import { notEmpty } from '../../../shared/schemas/lists.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { form } from '../ui/forms.ts'

// Positions have the format of their versions: steps of a hundred-thousandth (shared/schemas/versions.ts).
const POSITION = '(?:none|\\d{1,6} \\d{1,6})'
const MOVE = new RegExp(`^(\\d{1,15})/(${POSITION})/(${POSITION})$`)
const SHARE = 100_000

const move = () =>
  exact(yup.string()).matches(MOVE, () => message`A move needs an ID, a new position and the old one.`)

export const movesForm = object({ moves: required(notEmpty(list(required(move()), { max: MANY_MAX }))) })

export function parseMove(move: string) {
  const [, id = '', to = '', version = ''] = MOVE.exec(move) ?? []
  const [x = null, y = null] = to === 'none' ? [] : to.split(' ').map((steps) => Number(steps) / SHARE)
  return { id: Number(id), version, x, y }
}

/** A hidden form: the script needs its address and its CSRF token. */
export const showMovesForm = (call: Call): Html =>
  html`<div data-moves hidden>${form(call, { action: 'set-positions', submit: t`Save` })}</div>`
