// Calendar addresses of people, bookables and locations. A card on their pages creates an address, which is
// shown only once, and links to revoking it.
import { message } from '../../../../shared/messages/message.ts'
import type { ShownNames } from '../../../../shared/people/shown-names.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { findRow, listRows } from '../../../reads/rows/rows.ts'
import { sentence, t, tHtml } from '../../locales/translate.ts'
import type { CalendarSubject } from '../../pages/calendars/create-calendar.ts'
import type { Call } from '../../pages/page/page.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { resource } from '../../pages/ui/declared-pages.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { card, showLink } from '../../pages/ui/parts.ts'
import { NAMES } from './names-choices.ts'

type CalendarRow = { id: number; createdAt: string; names: ShownNames }

const ACTION = 'create-calendar'

/** The form for the calendar of a place. */
export const placeCalendarForm = object({ names: NAMES.rule() })

/** Shown only to viewers who may create and revoke addresses. */
export async function calendarCard(call: Call, subject: CalendarSubject, id: number): Promise<Content> {
  if (!call.mayWrite) return null
  const calendars = await listRows<CalendarRow>(
    call.reads,
    `SELECT id, created_at AS "createdAt", coalesce(names, 'full') AS names FROM calendars WHERE ${subject} = $1 ORDER BY id`,
    [id],
  )
  return card(
    t`Calendar address`,
    html`<p>${t`Calendar programs subscribe to it. Anyone with the address can read the calendar without signing in.`}</p>
${calendars.length > 0 && html`<ul class="rows">${calendars.map((each) => showCalendar(call, each, subject))}</ul>`}
${form(call, { action: ACTION, submit: t`Create calendar address`, tone: 'quiet' }, (fields) => subject !== 'user_id' && showNames(fields))}`,
    'calendar-address',
  )
}

const showNames = (fields: Fields): Html =>
  fields.select('names', t`What it shows about people`, {
    options: NAMES.options(),
    hint: t`People who are not visible to everybody always appear as “Taken”.`,
  })

function showCalendar(call: Call, { id, createdAt, names }: CalendarRow, subject: CalendarSubject): Html {
  const chosen = NAMES.options().find(({ value }) => value === names)
  const says = subject !== 'user_id' && html`${chosen?.label} · `
  return html`<li>${tHtml`Address ${id}, created ${showRelativeInstant(createdAt, call.now)}`} · ${says}
${showLink(call.link(`/calendars/${id}/revoke`), t`Revoke`, { 'aria-label': t`Revoke address ${id}` })}</li>`
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
