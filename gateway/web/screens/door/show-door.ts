// Shows a door as HTML: one glance tells whether the place is free, and until when. Pages and the frames that a screen
// stores use the same HTML, so a screen looks the same without scripts or without a connection.
import { type Content, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { formatTime, formatTimeBeside } from '../../pages/time/instants.ts'
import type { DoorState } from './door-state.ts'
import type { Door, DoorClaim } from './queries.ts'

const SHOWN_NEXT_CLAIMS_MAX = 4

export function showDoor(door: Door, state: DoorState): Html {
  const { current, checkIn } = state
  return html`<div class="door ${state.kind}">
<div class="door-now">
<p class="door-word">${formatState(state)}</p>
<p class="door-until">${formatUntil(door, state)}</p>
${current && describeMeeting(door, current)}
</div>
<div class="door-actions">${showActions(state)}${checkIn && checkIn.checkInUntil !== null && html`<p class="door-due">${t`Check in by ${formatTime(checkIn.checkInUntil, door.zone)}, or the room becomes free.`}</p>`}</div>
<section class="door-next" aria-label="${t`Today`}"><h2>${t`Next up today`}</h2>${showNextClaims(door, state)}</section>
</div>`
}

function formatState({ kind }: DoorState): string {
  if (kind === 'free') return t`Free`
  if (kind === 'closed') return t`Closed`
  return t`Taken`
}

function formatUntil(door: Door, { at, kind, current, freeUntil }: DoorState): string {
  const end = current ? current.to : freeUntil
  if (kind === 'closed') return ''
  if (end === null || end === undefined) return current ? t`without an end` : t`for the rest of the day`
  const isToday = formatTime(end, door.zone)
  return current || isSameDay(door, at, end)
    ? t`until ${current ? formatTimeBeside(end, at, door.zone) : isToday}`
    : t`for the rest of the day`
}

const isSameDay = ({ zone }: Door, one: string, other: string) =>
  formatTimeBeside(other, one, zone) === formatTime(other, zone)

function describeMeeting(door: Door, claim: DoorClaim): Content {
  if (!door.showsNames) return null
  const { title, who } = claim
  return html`${title !== null && html`<p class="door-title">${title}</p>`}<p class="door-who">${who ?? t`Someone`}</p>`
}

function showNextClaims(door: Door, { next }: DoorState): Html {
  if (next.length === 0) return html`<p class="door-none">${t`Nothing more today.`}</p>`
  const items = next.slice(0, SHOWN_NEXT_CLAIMS_MAX).map((claim) => {
    const end = claim.to === null ? '' : formatTimeBeside(claim.to, claim.from, door.zone)
    const what = door.showsNames ? (claim.title ?? claim.who ?? t`Someone`) : t`Taken`
    return html`<li><span class="door-time">${formatTime(claim.from, door.zone)}–${end}</span> <span class="door-what">${what}</span></li>`
  })
  return html`<ol>${items}</ol>`
}

function showActions({ current, checkIn, minutes }: DoorState): Content {
  return [
    checkIn && showButton('check-in', createClaimFields(checkIn), t`Check in`, 'primary'),
    minutes.length > 0 && html`<p class="door-ask">${t`Book now for`}</p>`,
    current?.mayEnd && showEndButton(current, checkIn ? 'quiet' : 'primary'),
    ...minutes.map((each) => showButton('book', { minutes: each }, t`${each} min`, 'primary')),
  ]
}

// Shows the button that ends a booking. It asks for confirmation first, so that an accidental touch ends
// nothing. The question works without scripts; pressing the question or “Keep it” closes it again.
const showEndButton = (current: DoorClaim, tone: 'primary' | 'quiet'): Html =>
  html`<details class="door-confirm"><summary><span class="door-shut door-button ${tone}">${t`End now`}</span><span class="door-open">${t`End the booking now? Others can then book the remaining time.`}</span><span class="door-open door-button quiet">${t`Keep it`}</span></summary>
${showButton('end', createClaimFields(current), t`Yes, end it`, 'primary')}</details>`

const createClaimFields = ({ id }: DoorClaim) => ({ booking: id })

/** Shows a button. Its idempotency key is filled in when the page is created, or by the script when somebody
 * presses the button. */
const showButton = (
  action: string,
  fields: Record<string, number>,
  label: string,
  tone: 'primary' | 'quiet',
): Html => html`<form method="post" class="door-form"><input type="hidden" name="action" value="${action}">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input type="hidden" name="key" value=""><button class="door-button ${tone}">${label}</button></form>`
