// The cards of the page Me: choices, vehicles, calendar addresses and sessions of the person.
import { LANGUAGES } from '../../../shared/messages/languages.ts'
import {
  PERSON_MAILS,
  type PersonMail,
  VISIBILITIES,
  type Visibility,
} from '../../../shared/people/people.ts'
import { type Html, html } from '../../html/html.ts'
import { findRow, listRows } from '../../reads/rows/rows.ts'
import { currentLanguage, type Sentence, sentence, t, tHtml, translate } from '../locales/translate.ts'
import type { Call } from '../pages/page/page.ts'
import { listVehicles } from '../pages/search/choices.ts'
import { showRelativeInstant } from '../pages/time/instants.ts'
import { form } from '../pages/ui/forms.ts'
import { card, showLink } from '../pages/ui/parts.ts'
import { DASHBOARD, linkTo, rootPath } from '../sessions/addresses.ts'
import { formatBrowser } from '../sessions/format-browser.ts'
import { hashSecret } from '../sessions/secrets.ts'

const VISIBLE_TO: Record<Visibility, Sentence> = {
  everybody: sentence`Everybody in the company`,
  groups: sentence`People in my groups`,
  nobody: sentence`Nobody: others see “Someone”`,
}

const MAILS: Record<PersonMail, Sentence> = {
  confirmation: sentence`Confirmation of a booking, with an entry for the calendar`,
  reminder: sentence`Reminder to check in`,
  changed: sentence`Somebody else has changed or cancelled my booking, or taken the room of my meeting`,
  offer: sentence`Something that I wait for is free`,
  approval: sentence`Answers to my requests, and requests that I decide`,
}

export function visibilityCard(call: Call, visibility: Visibility): Html {
  const options = VISIBILITIES.map((value) => ({ value, label: translate(VISIBLE_TO[value]) }))
  return card(
    t`Who sees where I sit`,
    form(
      call,
      { action: 'set-visibility', submit: t`Save`, values: { visibility } },
      (fields) => html`${fields.select('visibility', t`Visible to`, { options })}
<p class="soft">${t`The front desk and administrators always see it.`}</p>`,
    ),
    'visibility',
  )
}

export function languageCard(call: Call): Html {
  const options = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))
  const values = { language: currentLanguage() }
  return card(
    t`Language`,
    form(call, { action: 'set-language', submit: t`Save`, values }, (fields) =>
      fields.select('language', t`Language of pages and e-mails`, { options }),
    ),
    'language',
  )
}

export function mailsCard(call: Call, muted: PersonMail[]): Html {
  const options = PERSON_MAILS.map((value) => ({ value, label: translate(MAILS[value]) }))
  const values = PERSON_MAILS.filter((each) => !muted.includes(each))
  return card(
    t`Mails`,
    form(call, { action: 'set-mails', submit: t`Save` }, (fields) =>
      fields.checkboxes('mails', t`E-mail me about`, { options, values }),
    ),
    'mails',
  )
}

export async function vehiclesCard(call: Call): Promise<Html> {
  const vehicles = await listVehicles(call.reads, call.requirePerson().id)
  return card(
    t`Vehicles`,
    html`${listOf(vehicles.map(({ id, plate }) => html`<span>${plate}</span>${removal(call, 'delete-vehicle', id, t`Delete`, `${t`Delete`}: ${plate}`)}`))}
${form(call, { action: 'add-vehicle', submit: t`Add`, tone: 'quiet', isInline: true }, (fields) => fields.text('license_plate', t`License plate`, { required: true, maxlength: 20 }))}`,
    'vehicles',
  )
}

type Calendar = { id: number; createdAt: string }

export async function calendarsCard(call: Call): Promise<Html> {
  const calendars = await listRows<Calendar>(
    call.reads,
    'SELECT id, created_at AS "createdAt" FROM calendars WHERE user_id = $1 ORDER BY id',
    [call.requirePerson().id],
  )
  return card(
    t`Calendar address`,
    html`<p>${t`Calendar programs subscribe to it. Anyone with the address can read the calendar without signing in.`}</p>
${listOf(
  calendars.map(
    ({ id, createdAt }) =>
      html`<span>${tHtml`Address ${id}, created ${showRelativeInstant(createdAt, call.now)}`}</span>${removal(call, 'delete-calendar', id, t`Revoke`, t`Revoke address ${id}`)}`,
  ),
)}
${form(call, { action: 'create-calendar', submit: t`Create calendar address`, tone: 'quiet' })}`,
    'calendar-address',
  )
}

type Session = { hash: Buffer; lastUsedAt: string; userAgent: string | null }

export async function sessionsCard(call: Call): Promise<Html> {
  const own = hashSecret(call.viewer.secret)
  const sessions = await listRows<Session>(
    call.reads,
    `SELECT hash, last_used_at AS "lastUsedAt", user_agent AS "userAgent" FROM person_sessions
     WHERE user_id = $1 AND expires_at > now() ORDER BY last_used_at DESC LIMIT 20`,
    [call.requirePerson().id],
  )
  const shown = sessions.map(
    ({ hash, lastUsedAt, userAgent }) =>
      html`<span>${formatBrowser(userAgent)}${hash.equals(own) && html` <span class="badge good">${t`this browser`}</span>`}</span>
<span class="soft">${showRelativeInstant(lastUsedAt, call.now)}</span>`,
  )
  return card(
    t`Signed in`,
    html`${listOf(shown)}
<div class="buttons">${showLink(call.link('/sign-out'), t`Sign out`, { class: 'button quiet' })}
${form(call, { action: 'end-other-sessions', submit: t`Sign out everywhere else`, tone: 'quiet', isInline: true })}</div>`,
    'sessions',
  )
}

/** For those who are administrators too: with the same e-mail address. */
export async function dashboardLink({ services, requirePerson }: Call): Promise<Html | null> {
  const admin = await findRow(
    services.primary,
    'SELECT id FROM admins WHERE lower(email) = lower($1) AND disabled_at IS NULL',
    [requirePerson().email],
  )
  const address = linkTo(rootPath(services.config) + DASHBOARD, '/')
  return admin ? showLink(address, t`Dashboard`, { class: 'button quiet' }) : null
}

const listOf = (items: Html[]): Html | false =>
  items.length > 0 && html`<ul class="my-rows">${items.map((each) => html`<li>${each}</li>`)}</ul>`

const removal = (call: Call, action: string, id: number, submit: string, submitLabel: string): Html =>
  form(call, { action, key: id, hidden: { id }, submit, submitLabel, tone: 'quiet', isInline: true })
