// Calendar addresses of people, bookables and locations. A card on the pages of people and places creates an
// address, which is shown only once, and links to the page that revokes it.
import { message } from '../../../../shared/messages/message.ts'
import type { ShownNames } from '../../../../shared/people/shown-names.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { findRow, listRows } from '../../../reads/rows/rows.ts'
import { sentence, t, tHtml } from '../../locales/translate.ts'
import type { CalendarSubject } from '../../pages/calendars/create-calendar.ts'
import type { Call } from '../../pages/page/page.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { defineResourcePages } from '../../pages/ui/declared-pages.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { showCard, showLink } from '../../pages/ui/parts.ts'
import { SHOWN_NAME_CHOICES } from './names-choices.ts'

type CalendarRow = { id: number; createdAt: string; names: ShownNames }

const CREATE_ACTION = 'create-calendar'

/** The form that creates the address of a place's calendar. */
export const placeCalendarForm = object({ names: SHOWN_NAME_CHOICES.rule() })

/** Shows the card only to viewers who may create and revoke addresses. */
export async function showCalendarCard(call: Call, subject: CalendarSubject, id: number): Promise<Content> {
  if (!call.mayWrite) return null
  const calendars = await listRows<CalendarRow>(
    call.reads,
    `SELECT id, created_at AS "createdAt", coalesce(names, 'full') AS names FROM calendars WHERE ${subject} = $1 ORDER BY id`,
    [id],
  )
  return showCard(
    t`Calendar address`,
    html`<p>${t`Calendar programs can subscribe to this address. Anyone with the address can read the calendar without signing in.`}</p>
${calendars.length > 0 && html`<ul class="rows">${calendars.map((each) => showCalendar(call, each, subject))}</ul>`}
${form(call, { action: CREATE_ACTION, submit: t`Create calendar address`, tone: 'quiet' }, (fields) => subject !== 'user_id' && showNamesField(fields))}`,
    'calendar-address',
  )
}

const showNamesField = (fields: Fields): Html =>
  fields.select('names', t`What it shows about people`, {
    options: SHOWN_NAME_CHOICES.options(),
    hint: t`People who are not visible to everybody always appear as “Taken”.`,
  })

function showCalendar(call: Call, { id, createdAt, names }: CalendarRow, subject: CalendarSubject): Html {
  const chosen = SHOWN_NAME_CHOICES.options().find(({ value }) => value === names)
  const says = subject !== 'user_id' && html`${chosen?.label} · `
  const revoke = showLink(call.link(`/calendars/${id}/revoke`), t`Revoke`, {
    'aria-label': t`Revoke address ${id}`,
    class: 'danger',
  })
  return html`<li class="with-menu"><span>${says}${tHtml`Address ${id}, created ${showRelativeInstant(createdAt, call.now)}`}</span>
${showMoreMenu([revoke], t`Address ${id}`)}</li>`
}

const calendars = defineResourcePages({
  path: '/calendars/{id}',
  section: 'Places',
  missing: message`This calendar address no longer exists.`,
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

export const revokeCalendarPage = calendars.form({
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
