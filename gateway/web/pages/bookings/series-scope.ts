// Asks which bookings or meetings of a series an action should change: this one, this and following, or all.
import { object } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { choices, type Fields } from '../ui/fields.ts'

const SCOPES = choices(
  ['one', sentence`Only this one`],
  ['following', sentence`This and following`],
  ['all', sentence`All of the series`],
)

export const scopeFields = { scope: SCOPES.rule() }
export const scopeForm = object(scopeFields)

/** Shows the field in a form about a booking or meeting of a series. Shows nothing without a series. */
export const showScope = (fields: Fields, seriesId: number | null): Html | false =>
  seriesId !== null && fields.select('scope', t`Apply to`, { options: SCOPES.options(), value: 'one' })

/**
 * Returns the buttons of a form that cancels a booking or meeting of a series: the main label, and the other buttons.
 */
export const createCancelButtons = (seriesId: number | null, one: string) =>
  seriesId === null
    ? { submit: one }
    : {
        submit: t`This one`,
        more: html`<button class="button danger" name="scope" value="following">${t`This and following`}</button>
<button class="button danger" name="scope" value="all">${t`All`}</button>`,
      }

/** Returns the scope if the action changes more than one booking or meeting of the series. */
export const getSeveralScope = ({ scope }: typeof scopeForm.__outputType) =>
  scope === 'following' || scope === 'all' ? scope : undefined
