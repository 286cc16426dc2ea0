// Calendar addresses on the pages of people, bookables and locations: creates an address, which is shown only
// once, and links to revoking it. Hidden from viewers who may not do so, because it would tell them nothing.
import { type Content, type Html, html } from '../../http/html.ts'
import type { ActionCall, ActionResult, Call } from '../kit/page.ts'
import { t, tHtml } from '../locales/translate.ts'
import { showRelativeInstant } from '../time/instants.ts'
import { card } from '../ui/cards.ts'
import { form } from '../ui/forms.ts'
import { showLink } from '../ui/links.ts'
import { type CalendarRow, type CalendarSubject, listCalendars } from './queries.ts'

/** The action has the same name on each of these pages. */
const ACTION = 'create-calendar'

export async function calendarCard(call: Call, subject: CalendarSubject, id: number): Promise<Content> {
  if (!call.mayWrite) return null
  const calendars = await listCalendars(call.reads, subject, id)
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
export async function createCalendar(
  call: ActionCall<{ id: number }>,
  subject: CalendarSubject,
): Promise<ActionResult> {
  const { data } = await call.dispatch('calendars.create', { [subject]: call.params.id })
  const content = html`<div class="card">
<div class="notice warn"><p>${t`Copy it now: nobody can see it again once you have left this page.`}</p></div>
<div class="copied"><code id="calendar">${data.url}</code><button type="button" class="button quiet" data-copy="calendar" hidden>${t`Copy`}</button></div>
<p>${t`In a calendar program, add a calendar “from URL” or “by subscription”, and paste it there.`}</p>
<div class="buttons">${showLink(call.linkHere(), t`Done`, { class: 'button primary' })}</div></div>`
  return { show: { title: t`Calendar address created`, content } }
}
