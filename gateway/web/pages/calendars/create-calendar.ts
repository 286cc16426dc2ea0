// Creates a calendar address and shows it once.
import type { ShownNames } from '../../../../shared/people/shown-names.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { ActionCall } from '../page/page.ts'
import { showLink, showSecretCard } from '../ui/parts.ts'

export type CalendarSubject = 'user_id' | 'bookable_id' | 'location_id'

/** Creates a calendar address. If the same form is sent twice, it shows the same address. */
export async function createCalendar(
  call: ActionCall<{ id: number }, unknown, { names?: ShownNames | undefined }>,
  subject: CalendarSubject,
) {
  const { names } = call.form
  const { data } = await call.dispatch('calendars.create', {
    [subject]: call.params.id,
    ...(names && { names }),
  })
  const subscription = data.url.replace(/^https?:/, 'webcal:')
  const after = html`<p>${showLink(subscription, t`Open in a calendar program`, { class: 'button quiet' })}</p><p>${t`In your calendar program, add a calendar “from URL” or “by subscription”, and paste this address.`}</p>`
  const content = showSecretCard({ id: 'calendar', secret: data.url, done: call.linkHere(), after })
  return { show: { title: t`Calendar address created`, content } }
}
