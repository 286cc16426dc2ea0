// The cards of the Me page: the person's choices, vehicles, calendar addresses and sessions.
import { LANGUAGES } from '../../../shared/messages/languages.ts'
import {
  PERSON_MAILS,
  PERSON_PUSHES,
  type PersonMail,
  type PersonPush,
  VISIBILITIES,
  type Visibility,
} from '../../../shared/people/people.ts'
import { PORTRAIT_TYPES } from '../../../shared/people/pictures.ts'
import { type Html, html } from '../../html/html.ts'
import { findRow, listRows } from '../../reads/rows/rows.ts'
import { currentLanguage, type Sentence, sentence, t, tHtml, translate } from '../locales/translate.ts'
import type { Call } from '../pages/page/page.ts'
import { listVehicles } from '../pages/search/choices.ts'
import { showRelativeInstant } from '../pages/time/instants.ts'
import { showAvatar } from '../pages/ui/avatars.ts'
import { form } from '../pages/ui/forms.ts'
import { showCard, showLink } from '../pages/ui/parts.ts'
import { DASHBOARD_PATH, findRootPath, linkTo } from '../sessions/addresses.ts'
import { formatBrowser } from '../sessions/format-browser.ts'
import { hashSecret } from '../sessions/secrets.ts'

const VISIBILITY_LABELS: Record<Visibility, Sentence> = {
  everybody: sentence`Everybody in the company`,
  groups: sentence`People in my groups`,
  nobody: sentence`Nobody: others see “Someone”`,
}

const MAIL_LABELS: Record<PersonMail, Sentence> = {
  confirmation: sentence`Booking confirmations, with a calendar entry`,
  reminder: sentence`Reminders to check in`,
  changed: sentence`Changes to my bookings and to the rooms of my meetings by somebody else`,
  offer: sentence`Free places on my waitlists`,
  approval: sentence`Decisions on my requests, and requests that I can approve`,
  meeting: sentence`Invitations to meetings, and changes to them`,
  answer: sentence`Answers to my invitations`,
}

/** Shows the person's picture, with forms that replace and remove it. */
export async function showPictureCard(call: Call): Promise<Html | false> {
  if (!call.services.config.peoplePictures) return false
  const { id, name } = call.requirePerson()
  const present = await findRow(
    call.reads,
    'SELECT FROM user_pictures WHERE user_id = $1 AND picture IS NOT NULL',
    [id],
  )
  return showCard(
    t`Picture`,
    html`<div class="picture">${showAvatar({ id, name }, { isLarge: true })}<div>
${form(call, { action: 'set-picture', submit: t`Upload picture`, hasFile: true, tone: 'quiet' }, (fields) =>
  fields.file('file', t`File`, {
    hint: t`JPEG, PNG or WebP. It is cropped to a small square. Only people who may see where you sit see it.`,
    accept: PORTRAIT_TYPES.join(),
    required: true,
  }),
)}
${present !== undefined && form(call, { action: 'remove-picture', submit: t`Remove picture`, tone: 'quiet', isInline: true })}</div></div>`,
    'picture',
  )
}

export function showVisibilityCard(call: Call, visibility: Visibility): Html {
  const options = VISIBILITIES.map((value) => ({ value, label: translate(VISIBILITY_LABELS[value]) }))
  return showCard(
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

export function showLanguageCard(call: Call): Html {
  const options = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))
  const values = { language: currentLanguage() }
  return showCard(
    t`Language`,
    form(call, { action: 'set-language', submit: t`Save`, values }, (fields) =>
      fields.select('language', t`Language of pages and e-mails`, { options }),
    ),
    'language',
  )
}

export function showMailsCard(call: Call, muted: PersonMail[], pushed: PersonPush[]): Html {
  const hasPushes = call.services.config.push !== undefined
  const options = PERSON_MAILS.map((value) => ({ value, label: translate(MAIL_LABELS[value]) }))
  const pushOptions = options.filter(({ value }) => (PERSON_PUSHES as readonly string[]).includes(value))
  const values = PERSON_MAILS.filter((each) => !muted.includes(each))
  return showCard(
    hasPushes ? t`E-mails and notifications` : t`E-mails`,
    form(
      call,
      { action: 'set-mails', submit: t`Save` },
      (fields) =>
        html`${fields.checkboxes('mails', t`E-mail me about`, { options, values })}
${hasPushes && fields.checkboxes('pushes', t`Notify me in my browsers about`, { options: pushOptions, values: pushed })}`,
    ),
    'mails',
  )
}

export async function showVehiclesCard(call: Call): Promise<Html> {
  const vehicles = await listVehicles(call.reads, call.requirePerson().id)
  return showCard(
    t`Vehicles`,
    html`${showList(vehicles.map(({ id, plate }) => html`<span>${plate}</span>${showRemoveForm(call, 'delete-vehicle', id, t`Delete`, `${t`Delete`}: ${plate}`)}`))}
${form(call, { action: 'add-vehicle', submit: t`Add`, tone: 'quiet', isInline: true }, (fields) => fields.text('license_plate', t`License plate`, { required: true, maxlength: 20 }))}`,
    'vehicles',
  )
}

type CalendarRow = { id: number; createdAt: string }

export async function showCalendarsCard(call: Call): Promise<Html> {
  const calendars = await listRows<CalendarRow>(
    call.reads,
    'SELECT id, created_at AS "createdAt" FROM calendars WHERE user_id = $1 ORDER BY id',
    [call.requirePerson().id],
  )
  return showCard(
    t`Calendar address`,
    html`<p>${t`Calendar programs can subscribe to this address. Anyone with the address can read the calendar without signing in.`}</p>
${showList(
  calendars.map(
    ({ id, createdAt }) =>
      html`<span>${tHtml`Address ${id}, created ${showRelativeInstant(createdAt, call.now)}`}</span>${showRemoveForm(call, 'delete-calendar', id, t`Revoke`, t`Revoke address ${id}`)}`,
  ),
)}
${form(call, { action: 'create-calendar', submit: t`Create calendar address`, tone: 'quiet' })}`,
    'calendar-address',
  )
}

type SessionRow = { hash: Buffer; lastUsedAt: string; userAgent: string | null }

export async function showSessionsCard(call: Call): Promise<Html> {
  const own = hashSecret(call.viewer.secret)
  const sessions = await listRows<SessionRow>(
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
  return showCard(
    t`Signed in`,
    html`${showList(shown)}
<div class="buttons">${showLink(call.link('/sign-out'), t`Sign out`, { class: 'button quiet' })}
${form(call, { action: 'end-other-sessions', submit: t`Sign out everywhere else`, tone: 'quiet', isInline: true })}</div>`,
    'sessions',
  )
}

type SubscriptionRow = { id: number; createdAt: string; userAgent: string | null; hash: Buffer }

/**
 * Shows which browsers get notifications, if Berth sends them and the person has chosen some. The script push.ts asks this
 * browser and fills the form.
 */
export async function showPushCard(call: Call, isWanted: boolean): Promise<Html | null> {
  const { push } = call.services.config
  if (!push || !isWanted) return null
  const own = hashSecret(call.viewer.secret)
  const subscriptions = await listRows<SubscriptionRow>(
    call.reads,
    `SELECT push_subscriptions.id, push_subscriptions.created_at AS "createdAt", user_agent AS "userAgent", hash
     FROM push_subscriptions JOIN person_sessions ON hash = session_hash
     WHERE push_subscriptions.user_id = $1 ORDER BY push_subscriptions.id DESC`,
    [call.requirePerson().id],
  )
  const items = subscriptions.map(({ id, createdAt, userAgent, hash }) => {
    const browser = formatBrowser(userAgent)
    const remove = {
      action: 'turn-off-pushes',
      key: id,
      hidden: { id },
      submit: t`Turn off`,
      submitLabel: t`Turn off notifications: ${browser}`,
      tone: 'quiet',
      isInline: true,
    } as const
    return html`<li><span>${browser}${hash.equals(own) && html` <span class="badge good">${t`this browser`}</span>`}
<span class="soft">${tHtml`on since ${showRelativeInstant(createdAt, call.now)}`}</span></span>${form(call, remove)}</li>`
  })
  const isOn = subscriptions.some(({ hash }) => hash.equals(own))
  return showCard(
    t`Notifications`,
    html`${items.length > 0 && html`<ul class="my-rows">${items}</ul>`}
<div hidden data-push-key="${push.publicKey}"${isOn && html` data-push-on`}>
${form(call, { action: 'turn-on-pushes', submit: t`Turn on notifications in this browser`, hidden: { endpoint: '', p256dh: '', auth: '' } })}
<p class="soft" role="status"></p></div>
<p class="soft">${t`Notifications show places and times, but no names. On an iPhone or iPad, first add Berth to the Home Screen.`}</p>`,
    'notifications',
  )
}

/** Links to the dashboard. Shown only to people who are also administrators with the same e-mail address. */
export async function showDashboardLink({ services, requirePerson }: Call): Promise<Html | null> {
  const admin = await findRow(
    services.primary,
    'SELECT id FROM admins WHERE lower(email) = lower($1) AND disabled_at IS NULL',
    [requirePerson().email],
  )
  const address = linkTo(findRootPath(services.config) + DASHBOARD_PATH, '/')
  return admin ? showLink(address, t`Dashboard`, { class: 'button quiet' }) : null
}

const showList = (items: Html[]): Html | false =>
  items.length > 0 && html`<ul class="my-rows">${items.map((each) => html`<li>${each}</li>`)}</ul>`

const showRemoveForm = (call: Call, action: string, id: number, submit: string, submitLabel: string): Html =>
  form(call, { action, key: id, hidden: { id }, submit, submitLabel, tone: 'quiet', isInline: true })
