// Blocks the selected bookables until a day, with their own “closed” rule. The page of a single bookable can
// block it for any period.
import { fieldName, message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { object, required, text } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate, formatLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import { type Content, html } from '../../../html/html.ts'
import { plural, t } from '../../locales/translate.ts'
import type { ActionCall, ActionResult } from '../../pages/page/page.ts'
import { localDate } from '../../pages/time/fields.ts'
import { addDaysToDate, formatDate } from '../../pages/time/instants.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { requireLocation } from '../places/location-pages.ts'
import { selectionField } from './selection.ts'

export const blockUntilForm = object({
  ...selectionField,
  until: required(localDate()),
  reason: required(text({ max: 255, min: 1 })),
})

type BlockUntilCall = ActionCall<{ id: number }, unknown, typeof blockUntilForm.__outputType>

/** Blocks the bookables from now until the end of that day. */
export async function blockUntil(call: BlockUntilCall, redirectTo: string): Promise<ActionResult> {
  const { ids, until, reason } = call.form
  const { timezone: zone } = await requireLocation(call.reads, call.params.id)
  if (until < formatLocalDate(call.now, zone))
    throw invalidFields({ until: [message`${fieldName('until')} must be today or later.`] })
  const [from, to] = [formatLocalDateTime(call.now, zone), `${addDaysToDate(until, 1)}T00:00`]
  const { changed } = (await call.dispatch('bookables.close', { ids, closed: [{ from, to, reason }] })).data
  const notice = plural(
    changed,
    '# desk or room blocked until {0}. Existing bookings stay.',
    '# desks and rooms blocked until {0}. Existing bookings stay.',
    formatDate(until, 'long'),
  )
  if (changed === 0) return { redirectTo, notice: t`Nothing to change.`, tone: 'neutral' }
  return { redirectTo, notice }
}

export const showBlockUntilFields = (fields: Fields): Content => [
  html`<p>${t`Or block it until a certain day. Existing bookings stay.`}</p>`,
  fields.text('until', t`Last day`, { type: 'date' }),
  fields.text('reason', t`Reason`),
]
