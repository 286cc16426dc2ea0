// Calendar addresses of people, bookables and locations. A card on their pages creates an address, which is
// shown only once, and links to revoking it.
import { message } from '../../../shared/messages/message.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { ActionCall, Call } from '../../pages/kit/page.ts'
import { sentence, t, tHtml } from '../../pages/locales/translate.ts'
import { findRow, listRows } from '../../pages/search/rows.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { resource } from '../../pages/ui/declared-pages.ts'
import { form } from '../../pages/ui/forms.ts'
import { card, secretCard, showLink } from '../../pages/ui/parts.ts'

type CalendarSubject = 'user_id' | 'bookable_id' | 'location_id'
type CalendarRow = { id: number; createdAt: string }

const ACTION = 'create-calendar'

/** Hidden from viewers who may not create an address, because it would tell them nothing. */
export async function calendarCard(call: Call, subject: CalendarSubject, id: number): Promise<Content> {
  if (!call.mayWrite) return null
  const calendars = await listRows<CalendarRow>(
    call.reads,
    `SELECT id, created_at AS "createdAt" FROM calendars WHERE ${subject} = $1 ORDER BY id`,
    [id],
  )
  return card(
    t`Calendar address`,
    html`<p>${t`Calendar programs subscribe to it. Anyone with the address can read the calendar without signing in.`}</p>
${calendars.length > 0 && html`<ul class="rows">${calendars.map((each) => showCalendar(call, each))}</ul>`}
${form(call, { action: ACTION, submit: t`Create calendar address`, tone: 'quiet' })}`,
    'calendar-address',
  )
}

function showCalendar(call: Call, { id, createdAt }: CalendarRow): Html {
  return html`<li>${tHtml`Address ${id}, created ${showRelativeInstant(createdAt, call.now)}`} ·
${showLink(call.link(`/calendars/${id}/revoke`), t`Revoke`, { 'aria-label': t`Revoke address ${id}` })}</li>`
}

/** The same form, sent twice, shows the same address. */
export async function createCalendar(call: ActionCall<{ id: number }>, subject: CalendarSubject) {
  const { data } = await call.dispatch('calendars.create', { [subject]: call.params.id })
  const subscription = data.url.replace(/^https?:/, 'webcal:')
  const after = html`<p>${showLink(subscription, t`Open in a calendar program`)}</p><p>${t`In your calendar program, add a calendar “from URL” or “by subscription”, and paste the address there.`}</p>`
  const content = secretCard({ id: 'calendar', secret: data.url, done: call.linkHere(), after })
  return { show: { title: t`Calendar address created`, content } }
}

const calendars = resource({
  path: '/calendars/{id}',
  section: 'Places',
  missing: message`This calendar address does not exist any more.`,
  find: ({ reads, params }) =>
    findRow<{ id: number; name: string; path: string }>(
      reads,
      `SELECT calendars.id, coalesce(users.name, bookables.name, locations.name) AS name,
         coalesce('/people/' || users.id, '/places/bookables/' || bookables.id, '/places/locations/' || locations.id) AS path
       FROM calendars
       LEFT JOIN users ON users.id = calendars.user_id
       LEFT JOIN bookables ON bookables.id = calendars.bookable_id
       LEFT JOIN locations ON locations.id = calendars.location_id
       WHERE calendars.id = $1`,
      [params.id],
    ),
  above: ({ name, path }) => [[name, path]],
})

export const revokeCalendar = calendars.form({
  path: '/revoke',
  title: sentence`Revoke calendar address`,
  action: 'revoke',
  submit: sentence`Revoke`,
  tone: 'danger',
  heading: ({ id, name }) => t`Revoke address ${id} of the calendar of ${name}?`,
  intro: () => t`Calendar programs lose access at once. This cannot be undone.`,
  async act(call) {
    const { path } = await calendars.require(call)
    await call.dispatch('calendars.delete', { id: call.params.id })
    return { redirectTo: call.link(path), notice: t`Calendar address revoked.` }
  },
})
